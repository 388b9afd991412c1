import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Api } from '../demo/api.mjs';

const CLI = path.resolve(import.meta.dirname, '../../dist/cli.js');
const CLOCK = new URL('./moving-clock.mjs', import.meta.url).href;

/** A server in a temporary folder with an adjustable clock, so that it stores times of the past. */
export class PastServer {
  api;
  #home = mkdtempSync(path.join(os.tmpdir(), 'waystation-past-'));
  #process;
  #nowMs;

  static async start(nowMs) {
    const server = new PastServer();
    process.on('exit', () => server.#vanish());
    await server.#listen(nowMs);
    return server;
  }

  /** Sets the clock; it only goes forward. */
  async setClock(ms) {
    if (ms <= this.#nowMs) return;
    this.#nowMs = ms;
    const answered = once(this.#process, 'message');
    this.#process.send(ms);
    await answered;
  }

  async stop() {
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGTERM');
    await ended;
    rmSync(this.#home, { recursive: true, force: true });
  }

  async #listen(nowMs) {
    this.#nowMs = nowMs;
    const log = path.join(this.#home, 'server.log');
    const unset = { DATABASE_URL: '', DATABASE_URL_FILE: '', WAYSTATION_SECRET_FILE: '', WAYSTATION_SQLITE_PATH: '' };
    const settings = { WAYSTATION_HOME: this.#home, WAYSTATION_HOST: '127.0.0.1', WAYSTATION_PORT: '0' };
    this.#process = fork(CLI, ['serve'], {
      cwd: this.#home,
      execArgv: ['--import', CLOCK],
      env: { ...process.env, ...unset, ...settings, WAYSTATION_DEMO_NOW_MS: String(nowMs) },
      stdio: ['ignore', 'pipe', openSync(log, 'a'), 'ipc'],
    });
    let url = '';
    for await (const line of createInterface({ input: this.#process.stdout })) {
      url = /listens on (http:\S+)/.exec(line)?.[1] ?? '';
      if (url !== '') break;
    }
    if (url === '') throw new Error(`The server that records did not start:\n${readFileSync(log, 'utf8')}`);
    this.#process.stdout.resume();
    this.api = new Api(url, readFileSync(path.join(this.#home, '.api-secret'), 'utf8').trim());
  }

  #vanish() {
    this.#process?.kill('SIGKILL');
    rmSync(this.#home, { recursive: true, force: true });
  }
}
