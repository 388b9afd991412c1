import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { PostgresCluster } from './postgres-cluster.mjs';
import { Session } from './session.mjs';
import { SqliteStorage } from './sqlite-storage.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const YARDSTICK = path.join(ROOT, 'bench', 'yardstick', 'server.mjs');

/** Where the application's Express adapter may stand as a module, seen from the folder of its built command line. */
const APP_ADAPTERS = ['../build/http/api-http.adapter.js', 'http/api-http.adapter.js'];

/**
 * Something that the workloads run against.
 * @typedef {object} Target
 * @property {string} name                     `yardstick`, `plain yardstick`, `sqlite` or `postgres`
 * @property {string} description
 * @property {(bench: import('./bench.mjs').Bench) => Promise<Session>} open  on a fresh, empty database
 */

/**
 * The targets of a run, yardsticks first. The yardstick is the application's own Express adapter with handlers that do
 * nothing; Nest's plain adapter is measured beside it.
 * @param {import('./bench.mjs').Bench} bench
 * @returns {Promise<Target[]>}
 */
export async function openTargets(bench) {
  const { databases, server } = bench.options;
  const serverArgs = [path.resolve(server ?? path.join(ROOT, 'dist', 'cli.js')), 'serve'];
  if (!existsSync(serverArgs[0])) throw new Error(`${serverArgs[0]} is missing: run \`npm run build\` first`);
  const places = APP_ADAPTERS.map((file) => path.resolve(path.dirname(serverArgs[0]), file));
  const targets = yardsticks(places.find((file) => existsSync(file)));
  if (databases.includes('sqlite')) targets.push(sqliteTarget(serverArgs));
  if (databases.includes('postgres')) targets.push(await postgresTarget(serverArgs, bench));
  return targets;
}

function yardsticks(appAdapter) {
  const plain = ['--adapter', 'plain'];
  if (appAdapter === undefined) return [yardstick('yardstick', 'Nest on its Express adapter', plain)];
  return [
    yardstick('yardstick', "Nest on the application's Express adapter", ['--adapter', appAdapter]),
    yardstick('plain yardstick', "Nest on Nest's Express adapter", plain),
  ];
}

function yardstick(name, description, args) {
  const open = async (bench) => newSession(bench, name, () => null, [YARDSTICK, ...args]);
  return { name, description, open };
}

function sqliteTarget(serverArgs) {
  const open = async (bench) => newSession(bench, 'sqlite', (home) => new SqliteStorage(home), serverArgs);
  return { name: 'sqlite', description: 'SQLite in the home folder', open };
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
