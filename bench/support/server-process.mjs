import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import http from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { serverEnvironment } from './environment.mjs';
import { freePort } from './free-port.mjs';

const START_MS = 60_000;
const STOP_MS = 30_000;
const LOG_LINES = 6;
const LOG_LINE_LENGTH = 400;

/** A server on 127.0.0.1 that the benchmark started as a separate process. */
export class ServerProcess {
  #child;
  #exited;

  /** Use `start`. */
  constructor(child, port, logFile) {
    this.#child = child;
    this.#exited = new Promise((resolve) => child.once('exit', (code, signal) => resolve(signal ?? code)));
    this.pid = child.pid;
    this.port = port;
    this.logFile = logFile;
    this.token = '';
  }

  /**
   * @param {{args: string[], env: Record<string, string>, cwd: string, logFile: string, cleanup: import('./cleanup.mjs').Cleanup}} options
   *   the port is passed as WAYSTATION_PORT
   * @returns {Promise<ServerProcess>} once GET /health responds with 200
   */
  static async start({ args, env, cwd, logFile, cleanup }) {
    const port = await freePort();
    const log = openSync(logFile, 'a');
    const child = spawn(process.execPath, args, {
      cwd,
      env: serverEnvironment({ ...env, WAYSTATION_PORT: String(port) }),
      stdio: ['ignore', log, log],
      detached: true, // Ctrl-C must not reach it before the benchmark has stopped the load
    });
    closeSync(log);
    const server = new ServerProcess(child, port, logFile);
    const forget = cleanup.track(child.pid);
    void server.#exited.then(forget);
    await server.#untilHealthy();
    return server;
  }

  /** Asks it to stop, and waits. @throws {Error} when it did not stop by itself, or not with exit code 0 */
  async stop() {
    this.#child.kill('SIGTERM');
    const ending = await Promise.race([this.#exited, pause(STOP_MS, 'timeout', { ref: false })]);
    if (ending === 'timeout') this.#child.kill('SIGKILL');
    if (ending !== 0) throw new Error(`the server did not stop cleanly (${ending})${this.logTail()}`);
  }

  /** kill -9. */
  async kill() {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  async #untilHealthy() {
    const deadline = Date.now() + START_MS;
    let ending = null;
    void this.#exited.then((how) => (ending = how));
    while (!(await isHealthy(this.port))) {
      if (ending !== null) throw new Error(`the server ended (${ending})${this.logTail()}`);
      if (Date.now() > deadline) throw new Error(`the server does not answer${this.logTail()}`);
      await pause(25);
    }
  }

  /** @returns {string} the last lines of its log, cut if long; empty if there are none */
  logTail() {
    const lines = readFileSync(this.logFile, 'utf8').trimEnd().split('\n').slice(-LOG_LINES);
    if (lines.join('') === '') return '';
    return ['', 'its last lines:', ...lines.map((line) => line.slice(0, LOG_LINE_LENGTH))].join('\n    ');
  }
}

function isHealthy(port) {
  return new Promise((resolve) => {
    const request = http.get({ port, host: '127.0.0.1', path: '/health', agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('error', () => resolve(false));
  });
}
