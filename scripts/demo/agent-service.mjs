import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { Api } from './api.mjs';
import { startCommand } from './command.mjs';

const PATIENCE_MS = 5_000;
const LOOK_MS = 20;
const FILE = 'examples/agents/agents.yaml';

/** A token that can only report as these agents, during a demonstration. */
export async function runnerToken({ url, token }, agents) {
  const order = { scope: 'runner', name: 'demonstration', agent_ids: agents, expires_in_seconds: 86_400 };
  const answer = await new Api(url, token).post('/v1/tokens', JSON.stringify(order));
  if (answer.status !== 201) throw new Error(`No token for the agents: ${answer.status} ${answer.text}`);
  return answer.json().token;
}

/** `waystation agent` with the example definition, on a free port. Its state survives it until the demonstration ends. */
export class AgentService {
  file = FILE;
  /** Address of its webhooks. */
  url = '';
  #server;
  #process;
  #log = '';
  #ownToken;
  #state = mkdtempSync(path.join(os.tmpdir(), 'waystation-demo-agents-'));

  constructor(server) {
    this.#server = server;
    process.on('exit', () => this.#vanish());
  }

  async start() {
    const env = {
      WAYSTATION_STATE_DIR: this.#state,
      WAYSTATION_AGENT_PORT: '0',
      WAYSTATION_LOG_LEVEL: 'warn',
      WAYSTATION_SHUTDOWN_TIMEOUT_MS: '0',
    };
    this.#process = startCommand({ url: this.#server.url, token: await this.#token() }, ['agent', FILE], { env });
    this.#log = '';
    this.#process.stderr.on('data', (chunk) => (this.#log += chunk));
    this.url = '';
    for await (const line of createInterface({ input: this.#process.stdout })) {
      this.url = /health +(http:\S+)\/health/.exec(line)?.[1] ?? '';
      if (this.url !== '') break;
    }
    if (this.url === '') throw new Error(`The agent process did not start:\n${this.#log}`);
    this.#process.stdout.resume();
  }

  /** Its programs can read whatever it can, so its token is only good for reporting. */
  async #token() {
    this.#ownToken ??= await runnerToken(this.#server, ['refund', 'research']);
    return this.#ownToken;
  }

  /** Waits until its log contains the text since its start. */
  async hasLogged(text) {
    for (let waitedMs = 0; waitedMs < PATIENCE_MS && !this.#log.includes(text); waitedMs += LOOK_MS)
      await pause(LOOK_MS);
    return this.#log.includes(text);
  }

  /** kill -9. */
  async kill() {
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await ended;
  }

  async stop() {
    if (this.#process.exitCode !== null) return;
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGTERM');
    await ended;
  }

  /** Starts a run like a third party, with just a POST. Returns its id. */
  async post(endpoint, body) {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(this.url + endpoint, { method: 'POST', headers, body: JSON.stringify(body) });
    if (answer.status !== 202) throw new Error(`${endpoint}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()).run_id;
  }

  #vanish() {
    // SIGTERM, so that it also ends its programs.
    this.#process?.kill('SIGTERM');
    rmSync(this.#state, { recursive: true, force: true });
  }
}
