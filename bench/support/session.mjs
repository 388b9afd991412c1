import { copyFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { cpuMsOf, machineCpu, memoryOf, resetPeakMemory } from './process-stats.mjs';
import { ServerProcess } from './server-process.mjs';

const CLIENTS = 32;
const MAX_SECONDS = 120;
/** An idle server returns memory within 15 seconds. */
const REST_MS = 20_000;

/**
 * The results of one load; times in milliseconds, memory and disk in bytes.
 * @typedef {object} Measurement
 * @property {string} label
 * @property {number} clients
 * @property {number} requests
 * @property {number} requestsPerSecond
 * @property {number} p50Ms
 * @property {number} p99Ms
 * @property {number} maxMs
 * @property {number} firstMs          the first response
 * @property {number} cpuMs            of the server, per request
 * @property {number} databaseCpuMs    of the database's own processes, per request; NaN if there are none
 * @property {number} generatorCpuMs   per request
 * @property {number} othersShare      share of the machine's CPU used by anything but server, database and generator
 * @property {number} peakBytes        peak of the server's resident memory since its start
 * @property {number} faultCount      wrong responses; with any, the figures mean nothing
 * @property {boolean} isCutShort      the time was up before all requests were sent
 * @property {Record<string, any>} summary  the job's own results
 */

/** One target (a server on a fresh, empty database, or the yardstick) during one workload. */
export class Session {
  /** @type {ServerProcess | null} */
  server = null;
  /** @type {ServerProcess | null} */
  #sibling = null;

  /** Use a `Target` to open one. */
  constructor({ bench, target, storage, folder, home, serverArgs }) {
    this.bench = bench;
    this.target = target;
    this.storage = storage;
    this.folder = folder;
    this.serverArgs = serverArgs;
    this.home = home;
  }

  get isYardstick() {
    return this.storage === null;
  }

  /** @param {number} count @param {number} [atLeast] @returns {number} the count at this run's scale */
  scaled(count, atLeast = 1) {
    return Math.max(atLeast, Math.round(count * this.bench.options.scale));
  }

  /** @param {string[]} [moreArgs] for the yardstick @param {Record<string, string>} [moreEnv] */
  async startServer(moreArgs = [], moreEnv = {}) {
    this.server = await ServerProcess.start({
      args: [...this.serverArgs, ...moreArgs],
      env: { WAYSTATION_HOME: this.home, ...this.storage?.env, ...moreEnv },
      cwd: this.home, // so that the project's .env has no effect
      logFile: path.join(this.folder, 'server.log'),
      cleanup: this.bench.cleanup,
    });
    if (!this.isYardstick) this.server.token = readFileSync(path.join(this.home, '.api-secret'), 'utf8').trim();
  }

  /**
   * Starts another server on the same database; it stops with the first.
   * @param {Record<string, string>} [moreEnv] @returns {Promise<ServerProcess>}
   */
  async startSibling(moreEnv = {}) {
    const home = path.join(this.folder, 'sibling');
    mkdirSync(home, { mode: 0o700 });
    copyFileSync(path.join(this.home, '.api-secret'), path.join(home, '.api-secret'));
    this.#sibling = await ServerProcess.start({
      args: this.serverArgs,
      env: { WAYSTATION_HOME: home, ...this.storage.env, ...moreEnv },
      cwd: home,
      logFile: path.join(this.folder, 'sibling.log'),
      cleanup: this.bench.cleanup,
    });
    return this.#sibling;
  }

  async stopServer() {
    const servers = [this.server, this.#sibling];
    this.server = null;
    this.#sibling = null;
    for (const server of servers) await server?.stop();
  }

  async restartServer() {
    await this.stopServer();
    await this.startServer();
  }

  /**
   * Runs a job for its effect; wrong responses count.
   * @param {string} job @param {object} params
   * @param {{clients?: number, maxSeconds?: number, perSecond?: number}} [options] `perSecond`: see `Load`
   */
  async load(job, params, { clients = CLIENTS, maxSeconds = MAX_SECONDS, perSecond } = {}) {
    const options = { connections: clients, maxSeconds, perSecond };
    return this.#checked(job, await this.bench.generator.run(job, params, this.server, options));
  }

  /**
   * Runs and measures a job.
   * @param {string} label @param {string} job @param {object} params @param {Parameters<Session['load']>[2]} [options]
   * @returns {Promise<Measurement>}
   */
  measure(label, job, params, options = {}) {
    return this.#measured(label, options.clients ?? CLIENTS, () => this.load(job, params, options));
  }

  /**
   * Measures work other than the generator's jobs; wrong responses count.
   * @param {string} label @param {number} clients @param {() => Promise<Record<string, any>>} work returns what `Load.run` reports
   * @returns {Promise<Measurement>}
   */
  measureWork(label, clients, work) {
    return this.#measured(label, clients, async () => this.#checked(label, await work()));
  }

  #checked(where, result) {
    if (result.faultCount > 0) this.bench.reportFaults(`${this.target.name}, ${where}`, result, this.server.logTail());
    return result;
  }

  async #measured(label, clients, work) {
    const before = this.#cpu();
    const result = await work();
    const used = difference(this.#cpu(), before);
    const { requests } = result;
    const oursMs = used.server + (used.database || 0) + used.generator;
    return {
      label,
      clients,
      requests,
      requestsPerSecond: requests / result.seconds,
      p50Ms: result.p50Ms,
      p99Ms: result.p99Ms,
      maxMs: result.maxMs,
      firstMs: result.firstMs,
      cpuMs: used.server / requests,
      databaseCpuMs: used.database / requests,
      generatorCpuMs: result.generatorCpuMs / requests,
      othersShare: Math.max(0, used.busyMs - oursMs) / used.totalMs,
      peakBytes: memoryOf(this.server.pid).peakBytes,
      faultCount: result.faultCount,
      isCutShort: result.isCutShort,
      summary: result.summary,
    };
  }

  /** As `measure`, with the largest growth of the server's memory: `peakGrowthBytes`. */
  async measureMemory(label, job, params, options) {
    resetPeakMemory(this.server.pid);
    const { nowBytes } = memoryOf(this.server.pid);
    const measured = await this.measure(label, job, params, options);
    return { ...measured, peakGrowthBytes: measured.peakBytes - nowBytes };
  }

  /** Resident memory of the server after a rest, which is shorter in runs below full size. */
  async restingBytes() {
    await pause(this.scaled(REST_MS));
    return memoryOf(this.server.pid).nowBytes;
  }

  /** Undoes everything, also after a failure. */
  async close() {
    try {
      await this.stopServer();
    } finally {
      await this.storage?.drop();
      rmSync(this.folder, { recursive: true, force: true });
    }
  }

  #cpu() {
    const [server, generator] = [this.server.pid, this.bench.generator.pid].map(cpuMsOf);
    return { server, generator, database: this.storage?.cpuMs() ?? Number.NaN, ...machineCpu() };
  }
}

function difference(after, before) {
  return Object.fromEntries(Object.keys(after).map((name) => [name, after[name] - before[name]]));
}
