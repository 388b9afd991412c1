import { randomUUID } from 'node:crypto';
import { LoopbackServer } from './loopback-server.mjs';

/** An agent that reports its whole run as soon as it is started. It ignores idempotency keys, because nothing fails here. */
export class Agent {
  name = 'bench';
  /** Whether it takes messages and never responds. */
  isHanging = false;
  /** @type {(events: object[]) => void} sends a batch to the API */
  report = () => {};
  #histories = new Map();
  #server = new LoopbackServer((_path, body) => this.#invoke(body));

  async listen() {
    this.url = await this.#server.listen();
  }

  close() {
    return this.#server.close();
  }

  /** @returns {object} the event that tells its address */
  heartbeat() {
    return { type: 'heartbeat', data: { agent_id: this.name, endpoint: this.url } };
  }

  #invoke({ message, thread_id }) {
    if (this.isHanging) return null;
    const run_id = randomUUID();
    const before = this.#histories.get(thread_id) ?? [];
    const said = { role: 'assistant', content: answerTo(message) };
    const history = [...before, { role: 'user', content: message }, said];
    this.#histories.set(thread_id, history);
    const ids = { thread_id, trace_id: run_id, agent_id: this.name };
    const checkpoint = { ...ids, step_index: 0, status: 'in_progress', history, tokens_used: 100, model: 'scripted' };
    const events = [
      { type: 'thread_started', data: ids },
      { type: 'checkpoint', data: checkpoint },
      { type: 'thread_completed', data: ids },
    ];
    this.report(events.map((event) => ({ id: randomUUID(), ...event })));
    return { status: 202, body: { run_id, status: 'started' } };
  }
}

/** @param {string} message @returns {string} */
export function answerTo(message) {
  return `You said: ${message}`;
}
