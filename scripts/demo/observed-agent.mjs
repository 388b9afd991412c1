import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

const PROGRAM = path.join(import.meta.dirname, 'agent-process.mjs');
const CONVERSATIONS = path.resolve(import.meta.dirname, '../../examples/conversations');

/** An agent process, with a record of its reports and the server's acknowledgements. */
export class ObservedAgent {
  /** Runs in the order of their opening: `{agentId, traceId, isResumed, history}`. */
  opened = [];
  saved = [];
  saving = [];
  answer = null;
  #process;
  #ended;
  #watchers = new Set();

  constructor(server, conversation, threadId) {
    this.#process = fork(PROGRAM, [path.join(CONVERSATIONS, conversation), threadId], {
      env: { ...process.env, WAYSTATION_API_URL: server.url, WAYSTATION_TOKEN: server.token },
    });
    this.#ended = once(this.#process, 'exit');
    this.#process.on('message', (message) => this.#note(message));
    process.on('exit', () => this.#process.kill('SIGKILL'));
  }

  /** Resolves when `isSo(this)` holds. */
  async until(isSo) {
    while (!isSo(this)) await Promise.race([this.#change(), this.#failIfEnded(isSo)]);
  }

  /** kill -9: no handler runs, nothing is flushed. */
  async kill() {
    this.#process.kill('SIGKILL');
    await this.#ended;
  }

  /** Waits for its end. */
  async end() {
    const [code] = await this.#ended;
    if (code !== 0) throw new Error(`The agent ended with ${code}.`);
  }

  /** The acknowledged reports of one agent. */
  savedBy(agentId) {
    return this.saved.filter(({ agent_id }) => agent_id === agentId);
  }

  #note({ open, saving, saved, answer }) {
    if (open) this.opened.push(open);
    if (saving) this.saving.push(saving);
    if (saved) this.saved.push(saved);
    if (answer) this.answer = answer;
    for (const wake of this.#watchers) wake();
    this.#watchers.clear();
  }

  #change() {
    return new Promise((resolve) => this.#watchers.add(resolve));
  }

  async #failIfEnded(isSo) {
    const [code] = await this.#ended;
    if (!isSo(this)) throw new Error(`The agent ended with ${code} before its time.`);
  }
}
