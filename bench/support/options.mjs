import { parseArgs } from 'node:util';

export const USAGE = `npm run bench -- [options]
  --only W1,R1             only these workloads
  --scale 0.1              share of the full size (default 1; the targets hold for 1 only)
  --rounds 3               how often the short workloads are measured; the median counts
  --databases sqlite,postgres
  --fsync on|off           of the embedded PostgreSQL (default on; TEST_DATABASE_URL names another server)
  --json FILE              writes all figures there
  --server FILE            another build of the command line (default dist/cli.js)
  --baseline FILE          a build that is measured beside it in each round, on SQLite`;

/**
 * @typedef {object} Options
 * @property {string[] | null} only      workload names, null = all
 * @property {number} scale
 * @property {number} rounds
 * @property {string[]} databases
 * @property {'on' | 'off'} fsync
 * @property {string | null} json
 * @property {string | null} server
 * @property {string | null} baseline
 */

/**
 * @param {string[]} argv @param {readonly string[]} workloads valid names for `--only`
 * @returns {Options}
 * @throws {Error} that names the faulty option
 */
export function parseOptions(argv, workloads) {
  const text = { type: 'string' };
  const options = {
    only: text,
    scale: text,
    rounds: text,
    databases: text,
    fsync: text,
    json: text,
    server: text,
    baseline: text,
  };
  const { values } = parseArgs({ args: argv, options });
  return {
    only: values.only === undefined ? null : listOf('--only', values.only.toUpperCase(), workloads),
    scale: numberOf('--scale', values.scale ?? '1', 0.001, 10),
    rounds: Math.round(numberOf('--rounds', values.rounds ?? '3', 1, 50)),
    databases: listOf('--databases', values.databases ?? 'sqlite,postgres', ['sqlite', 'postgres']),
    fsync: listOf('--fsync', values.fsync ?? 'on', ['on', 'off'])[0],
    json: values.json ?? null,
    server: values.server ?? null,
    baseline: values.baseline ?? null,
  };
}

function listOf(name, text, allowed) {
  const list = text.split(',').map((part) => part.trim());
  const unknown = list.find((part) => !allowed.includes(part));
  if (unknown !== undefined) throw new Error(`${name}: "${unknown}" is none of ${allowed.join(', ')}`);
  return list;
}

function numberOf(name, text, min, max) {
  const number = Number(text);
  if (!(number >= min && number <= max)) throw new Error(`${name}: a number from ${min} to ${max}, not "${text}"`);
  return number;
}
