import { readFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ServerProcess } from '../../bench/support/server-process.mjs';
import { Client } from './client.mjs';
import { Proxy } from './proxy.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COMMAND = path.join(ROOT, 'dist', 'cli.js');

/** One scenario on one database: an empty storage, the servers that it starts, and its findings. */
export class Stage {
  /** Running servers in the order of their starts. @type {ServerProcess[]} */
  servers = [];
  #clients = new Set();
  #storage = null;
  #logs = 0;

  /**
   * @param {object} parts
   * @param {'sqlite' | 'postgres'} parts.database
   * @param {import('./options.mjs').Options} parts.options
   * @param {import('./report.mjs').Report} parts.report
   * @param {import('../../bench/support/cleanup.mjs').Cleanup} parts.cleanup
   * @param {() => Promise<import('../../bench/support/postgres-cluster.mjs').PostgresCluster>} parts.cluster
   */
  constructor({ database, options, report, cleanup, cluster }) {
    this.parts = { database, options, report, cleanup, cluster };
    this.database = database;
    this.options = options;
    this.report = report;
    this.cleanup = cleanup;
    this.cluster = cluster;
    this.folder = cleanup.makeFolder(database);
    this.home = path.join(this.folder, 'home');
    mkdirSync(this.home, { mode: 0o700 });
  }

  get sizes() {
    return this.options.sizes;
  }

  get isShort() {
    return this.sizes.isShort;
  }

  /** A time limit. The short forms run beside other tests on busy machines, where they can only detect a standstill. */
  patience(ms) {
    return this.isShort ? 5 * ms : ms;
  }

  get rounds() {
    return this.sizes.rounds[this.database];
  }

  /** Default number of servers for scenarios: SQLite allows only one process. */
  get instances() {
    return this.database === 'sqlite' ? 1 : this.sizes.instances;
  }

  get sqliteFile() {
    return path.join(this.home, 'waystation.db');
  }

  /** The address of the PostgreSQL database that the servers use. */
  get databaseUrl() {
    return this.#storage.env.DATABASE_URL;
  }

  /** Another stage with an empty storage on the same PostgreSQL cluster, for comparison. */
  beside() {
    return new Stage(this.parts);
  }

  /** Uses a database of this cluster instead of the one that all scenarios share. */
  async useCluster(cluster) {
    this.#storage = await cluster.createDatabase();
  }

  /** @param {string} promised @param {boolean} isKept @param {string} seen */
  expect(promised, isKept, seen) {
    this.report.note(promised, isKept ? 'kept' : 'broken', seen);
  }

  /** @param {string} promised @param {import('../../bench/generator/fault-list.mjs').FaultList} faults @param {string} seen */
  expectNoFault(promised, faults, seen) {
    const shown = faults.count === 0 ? seen : `${faults.count} faults: ${faults.samples.join('; ')}; ${seen}`;
    this.expect(promised, faults.count === 0, shown);
  }

  /** @param {string} promised @param {string} why this machine cannot test it */
  notTried(promised, why) {
    this.report.note(promised, 'not tried', why);
  }

  /** @param {string} what */
  tried(what) {
    this.report.tried(what);
  }

  /** Starts a server on the storage of this stage. @param {Record<string, string>} [env] @returns {Promise<ServerProcess>} */
  async startServer(env = {}) {
    const server = await ServerProcess.start({
      args: [COMMAND, 'serve'],
      env: await this.environment(env),
      cwd: this.home, // so that the project's .env has no effect
      logFile: path.join(this.folder, `server-${++this.#logs}.log`),
      cleanup: this.cleanup,
    });
    server.token = this.token;
    this.servers.push(server);
    return server;
  }

  /** @param {number} count @param {Record<string, string>} [env] all started concurrently */
  async startServers(count, env) {
    await this.environment(); // creates the shared database
    return Promise.all(Array.from({ length: count }, () => this.startServer(env)));
  }

  /** @param {Record<string, string>} [env] @returns {Promise<Record<string, string>>} of a server on this storage */
  async environment(env = {}) {
    if (this.database === 'postgres' && this.#storage === null) await this.useCluster(await this.cluster());
    const level = { WAYSTATION_LOG_LEVEL: 'warn' };
    return { WAYSTATION_HOME: this.home, ...level, ...this.#storage?.env, ...env };
  }

  get token() {
    return readFileSync(path.join(this.home, '.api-secret'), 'utf8').trim();
  }

  /** @param {ServerProcess} server forgotten even if it does not stop cleanly */
  async stop(server) {
    this.forget(server);
    await server.stop();
  }

  /** kill -9. @param {ServerProcess} server */
  async kill(server) {
    this.forget(server);
    await server.kill();
  }

  forget(server) {
    this.servers = this.servers.filter((one) => one !== server);
  }

  /** @param {{port: number}} target a server or proxy @param {{connections?: number}} [options] */
  client(target, options) {
    const client = new Client({ port: target.port, token: this.token }, options);
    this.#clients.add(client);
    return client;
  }

  /** A proxy in front of all running servers. */
  proxy() {
    return Proxy.open(
      this.servers.map(({ port }) => port),
      this.cleanup,
    );
  }

  /** The address for clients: the only server, or a proxy in front of all. @returns {Promise<{port: number}>} */
  async entrance() {
    return this.servers.length === 1 ? this.servers[0] : this.proxy();
  }

  /** Stops everything, also after a failure. */
  async close() {
    for (const client of this.#clients) client.close();
    for (const server of this.servers.splice(0)) await server.kill();
    await this.#storage?.drop().catch(() => undefined);
  }
}
