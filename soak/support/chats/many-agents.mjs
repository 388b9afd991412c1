import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { answerTo } from '../../../bench/chats/agent.mjs';
import { LoopbackServer } from '../../../bench/chats/loopback-server.mjs';
import { FaultList } from '../../../bench/generator/fault-list.mjs';
import { EVENTS, batchOf, isRetryable } from '../client.mjs';

/** Queued runs per agent. */
export const QUEUED = 5;
const BEAT_MS = 15_000;
const AGAIN_MS = 100;

/** Agents that report each run as soon as it is started. */
export class ManyAgents {
  beats = 0;
  runs = 0;
  faults = new FaultList();
  #keys = new Map();

  static async begin(stage, client, count) {
    const agents = new ManyAgents();
    agents.client = client;
    agents.server = new LoopbackServer((where, body, { headers }) =>
      agents.#invoke(where.split('/')[1], body, headers['idempotency-key']),
    );
    const url = await agents.server.listen();
    stage.cleanup.add(() => agents.server.close());
    agents.list = Array.from({ length: count }, (_, n) => ({ name: `many-${n}`, url: `${url}/many-${n}` }));
    await agents.#beatAll();
    agents.timers = agents.list.map((agent) =>
      setInterval(() => void agents.#beat(agent), BEAT_MS * (0.9 + 0.2 * Math.random())),
    );
    return agents;
  }

  stop() {
    this.timers.forEach(clearInterval);
    return this.server.close();
  }

  #beatAll() {
    return Promise.all(this.list.map((agent) => this.#beat(agent)));
  }

  async #beat({ name, url }) {
    const queued_at = new Date().toISOString();
    const queued_runs = Array.from({ length: QUEUED }, (_, n) => ({
      thread_id: `${name}-queued-${n}`,
      trace_id: `${name}-run-${n}`,
      queued_at,
    }));
    await this.#report({
      type: 'heartbeat',
      data: { agent_id: name, endpoint: url, process_id: `process-of-${name}`, queued_runs },
    });
    this.beats += 1;
  }

  #invoke(name, { message, thread_id }, key) {
    const known = this.#keys.get(key);
    const run_id = known ?? randomUUID();
    if (!known) {
      this.#keys.set(key, run_id);
      this.runs += 1;
      void this.#run({ thread_id, trace_id: run_id, agent_id: name }, message);
    }
    return { status: 202, body: { run_id, status: 'started' } };
  }

  async #run(ids, message) {
    const history = [
      { role: 'user', content: message },
      { role: 'assistant', content: answerTo(message) },
    ];
    await this.#report(
      { type: 'thread_started', data: ids },
      { type: 'checkpoint', data: { ...ids, step_index: 0, status: 'in_progress', history } },
      { type: 'thread_completed', data: ids },
    );
  }

  async #report(...events) {
    const body = batchOf(events.map((event) => ({ id: randomUUID(), ...event })));
    for (;;) {
      const answer = await this.client.post(EVENTS, body).catch(() => null);
      if (answer?.status === 200) return;
      if (answer && !isRetryable(answer))
        return this.faults.add(`${answer.status} ${answer.bytes.toString().slice(0, 200)}`);
      await pause(AGAIN_MS);
    }
  }
}
