import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { PostgresCluster } from './postgres-cluster.mjs';
import { Session } from './session.mjs';
import { SqliteStorage } from './sqlite-storage.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const YARDSTICK = path.join(ROOT, 'bench', 'yardstick', 'server.mjs');

/**
 * A target of the workloads.
 * @typedef {object} Target
 * @property {string} name                     `yardstick`, `baseline`, `sqlite` or `postgres`
 * @property {string} description
 * @property {(bench: import('./bench.mjs').Bench) => Promise<Session>} open  on a fresh, empty database
 */

/**
 * The targets of a run. The yardstick is plain Nest on Express with handlers that do nothing; the baseline is another build of the
 * application on SQLite.
 * @param {import('./bench.mjs').Bench} bench
 * @returns {Promise<Target[]>}
 */
export async function openTargets(bench) {
  const { databases, server, baseline } = bench.options;
  const command = commandOf(server ?? path.join(ROOT, 'dist', 'cli.js'));
  const targets = [yardstick()];
  if (baseline !== null) targets.push(sqliteTarget('baseline', commandOf(baseline)));
  if (databases.includes('sqlite')) targets.push(sqliteTarget('sqlite', command));
  if (databases.includes('postgres')) targets.push(await postgresTarget(command, bench));
  return targets;
}

function commandOf(file) {
  const command = path.resolve(file);
  if (!existsSync(command)) throw new Error(`${command} is missing: run \`npm run build\` first`);
  return [command, 'serve'];
}

function yardstick() {
  const open = async (bench) => newSession(bench, 'yardstick', () => null, [YARDSTICK]);
  return { name: 'yardstick', description: 'plain Nest on Express', open };
}

function sqliteTarget(name, serverArgs) {
  const open = async (bench) => newSession(bench, name, (home) => new SqliteStorage(home), serverArgs);
  return { name, description: `SQLite in the home folder, ${serverArgs[0]}`, open };
}

async function postgresTarget(serverArgs, { options, cleanup }) {
  const cluster = await PostgresCluster.open({ fsync: options.fsync, cleanup });
  const open = async (bench) => {
    const storage = await cluster.createDatabase();
    return newSession(bench, 'postgres', () => storage, serverArgs);
  };
  return { name: 'postgres', description: cluster.description, open };
}

function newSession(bench, name, makeStorage, serverArgs) {
  const folder = bench.cleanup.makeFolder(name.replaceAll(' ', '-'));
  const home = path.join(folder, 'home');
  mkdirSync(home, { mode: 0o700 });
  return new Session({ bench, target: { name }, storage: makeStorage(home), folder, home, serverArgs });
}
