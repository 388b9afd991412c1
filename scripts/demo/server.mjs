import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** The demonstration's server: that of `WAYSTATION_API_URL`, otherwise its own in a temporary folder. */
export async function openServer(env = process.env) {
  return env.WAYSTATION_API_URL ? knownServer(env) : OwnServer.start();
}

function knownServer(env) {
  const secretFile = path.join(env.WAYSTATION_HOME || path.join(os.homedir(), '.waystation'), '.api-secret');
  const token = env.WAYSTATION_TOKEN || readFileSync(secretFile, 'utf8').trim();
  const url = env.WAYSTATION_API_URL.replace(/\/+$/, '');
  return {
    url,
    token,
    secretFile: env.WAYSTATION_TOKEN ? null : secretFile,
    isOwn: false,
    stop: async () => undefined,
  };
}

/** A server on a free port whose data is removed when the demonstration ends. */
class OwnServer {
  isOwn = true;
  url = '';
  token = '';
  #home = mkdtempSync(path.join(os.tmpdir(), 'waystation-demo-'));
  #logFile = path.join(this.#home, 'server.log');
  secretFile = path.join(this.#home, '.api-secret');
  #process;

  static async start() {
    const server = new OwnServer();
    process.on('exit', () => server.#vanish());
    await server.#listen();
    return server;
  }

  async stop() {
    if (this.#process.exitCode !== null) return;
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGTERM');
    const [code] = await ended;
    if (code !== 0) throw new Error(`The server ended with ${code}.`);
  }

  async #listen() {
    const settings = { WAYSTATION_HOME: this.#home, WAYSTATION_HOST: '127.0.0.1', WAYSTATION_PORT: '0' };
    // Set but empty, so that neither the shell nor a .env file selects other data.
    const unset = { DATABASE_URL: '', DATABASE_URL_FILE: '', WAYSTATION_SECRET_FILE: '', WAYSTATION_SQLITE_PATH: '' };
    this.#process = spawn(process.execPath, [path.join(ROOT, 'scripts/start.mjs')], {
      cwd: ROOT,
      env: { ...process.env, ...unset, ...settings },
      stdio: ['ignore', 'pipe', openSync(this.#logFile, 'a')],
      detached: true, // Ctrl-C only reaches the demonstration, which then stops the server
    });
    for await (const line of createInterface({ input: this.#process.stdout })) {
      if (/^(Installing|Building)/.test(line)) console.log(line);
      this.url = /listens on (http:\S+)/.exec(line)?.[1] ?? '';
      if (this.url !== '') break;
    }
    if (this.url === '') throw new Error(`The server did not start:\n${readFileSync(this.#logFile, 'utf8')}`);
    this.#process.stdout.resume();
    this.token = readFileSync(this.secretFile, 'utf8').trim();
  }

  #vanish() {
    try {
      if (this.#process?.pid) process.kill(-this.#process.pid, 'SIGKILL');
    } catch {
      // It has ended already.
    }
    rmSync(this.#home, { recursive: true, force: true });
  }
}
