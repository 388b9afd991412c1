import { parseArgs } from 'node:util';

export const USAGE = `npm run soak -- [options]
  --only kills,disk-full     only these scenarios
  --short                    small sizes: a minute instead of an hour
  --databases sqlite,postgres
  --rounds 100               of kills, restarts and races (default 100 on SQLite and 30 on PostgreSQL)
  --instances 3              servers on one PostgreSQL, 2 to 4
  --threads 5000             of the mixed traffic
  --checkpoints 200000       of the mixed traffic
  --stored 1000000           threads that are stored when lists are timed
  --connections 2000         that one client opens
  --faketime FILE            libfaketime.so.1, where it is not in its usual place
  --json FILE                writes the report there
  --list                     names the scenarios and ends`;

const FULL = { threads: 5000, checkpoints: 200_000, stored: 1_000_000, connections: 2000, instances: 3 };
const SHORT = { threads: 100, checkpoints: 1000, stored: 2000, connections: 200, instances: 2 };
const ROUNDS = { full: { sqlite: 100, postgres: 30 }, short: { sqlite: 3, postgres: 2 } };

/**
 * @typedef {object} Sizes
 * @property {boolean} isShort
 * @property {Record<'sqlite' | 'postgres', number>} rounds
 * @property {number} instances
 * @property {boolean} isInstancesGiven
 * @property {number} threads
 * @property {number} checkpoints
 * @property {number} stored
 * @property {number} connections
 *
 * @typedef {object} Options
 * @property {string[] | null} only     names of scenarios, null = all
 * @property {boolean} isList
 * @property {string[]} databases
 * @property {string | null} json
 * @property {string | null} faketime
 * @property {Sizes} sizes
 */

/**
 * @param {string[]} argv @param {readonly string[]} scenarios valid names for `--only`
 * @returns {Options}
 * @throws {Error} that names the faulty option
 */
export function parseOptions(argv, scenarios) {
  const { values } = parseArgs({ args: argv, options: DECLARED });
  return {
    only: values.only === undefined ? null : listOf('--only', values.only, scenarios),
    isList: values.list ?? false,
    databases: listOf('--databases', values.databases ?? 'sqlite,postgres', ['sqlite', 'postgres']),
    json: values.json ?? null,
    faketime: values.faketime ?? null,
    sizes: sizesOf(values),
  };
}

const text = { type: 'string' };
const flag = { type: 'boolean' };
const DECLARED = {
  ...{ only: text, short: flag, databases: text, rounds: text, instances: text, threads: text, checkpoints: text },
  ...{ stored: text, connections: text, faketime: text, json: text, list: flag },
};

function sizesOf(values) {
  const isShort = values.short ?? false;
  const usual = isShort ? SHORT : FULL;
  const size = (name, min, max) => wholeNumber(`--${name}`, values[name] ?? String(usual[name]), min, max);
  return {
    isShort,
    rounds: roundsOf(values.rounds, ROUNDS[isShort ? 'short' : 'full']),
    instances: size('instances', 2, 4),
    isInstancesGiven: values.instances !== undefined,
    threads: size('threads', 10, 1_000_000),
    checkpoints: size('checkpoints', 100, 100_000_000),
    stored: size('stored', 2000, 10_000_000),
    connections: size('connections', 10, 50_000),
  };
}

function roundsOf(given, usual) {
  if (given === undefined) return usual;
  const rounds = wholeNumber('--rounds', given, 1, 10_000);
  return { sqlite: rounds, postgres: rounds };
}

function listOf(name, given, allowed) {
  const list = given.split(',').map((part) => part.trim());
  const unknown = list.find((part) => !allowed.includes(part));
  if (unknown !== undefined) throw new Error(`${name}: "${unknown}" is none of ${allowed.join(', ')}`);
  return list;
}

function wholeNumber(name, given, min, max) {
  const number = Number(given);
  if (Number.isInteger(number) && number >= min && number <= max) return number;
  throw new Error(`${name}: a whole number from ${min} to ${max}, not "${given}"`);
}
