import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { LoopbackServer } from '../../../bench/chats/loopback-server.mjs';
import { FaultList } from '../../../bench/generator/fault-list.mjs';
import { answerTo } from '../../../bench/chats/agent.mjs';
import { EVENTS, batchOf, isRetryable } from '../client.mjs';

/** Limit of messages in a history, trimmed as by clients. */
const WINDOW = 20;
const AGAIN_MS = 100;
/** Longest work of a run in milliseconds. */
const WORK_MS = 40;

/**
 * A stateless agent: each run reads its conversation from the API, continues it, and reports until it is acknowledged. It honours
 * idempotency keys, and notices two concurrent runs of a conversation.
 */
export class ChatAgent {
  name = 'soak-helper';
  /** Things that no agent should see. */
  faults = new FaultList();
  /** Runs by key. @type {Map<string, {runId: string, message: string, calls: number}>} */
  runs = new Map();
  /** Whether an invocation begins its run without ever responding. @type {(message: string) => boolean} */
  isMute = () => false;
  /** Runs continue when this resolves. @type {(message: string) => Promise<void>} */
  gate = () => Promise.resolve();
  #openThreads = new Set();
  #server = new LoopbackServer((_path, body, { headers }) => this.#invoke(body, headers['idempotency-key']));

  /** @param {() => import('../client.mjs').Client} client called before each request */
  constructor(client) {
    this.client = client;
  }

  async listen() {
    this.url = await this.#server.listen();
  }

  close() {
    return this.#server.close();
  }

  /** Sends a heartbeat with its address. */
  beat() {
    return this.#report({ type: 'heartbeat', data: { agent_id: this.name, endpoint: this.url } });
  }

  isBegun(message) {
    return [...this.runs.values()].some((run) => run.message === message);
  }

  #invoke({ message, thread_id }, key) {
    const known = this.runs.get(key);
    const run = known ?? { runId: randomUUID(), message, calls: 0 };
    run.calls += 1;
    if (!known) this.#begin(key, run, thread_id);
    if (this.isMute(message)) return null;
    return { status: 202, body: { run_id: run.runId, status: 'started' } };
  }

  #begin(key, run, threadId) {
    this.runs.set(key, run);
    this.faults.add(this.#openThreads.has(threadId) ? `"${run.message}" was started beside another run` : null);
    this.#openThreads.add(threadId);
    void this.#work(run, threadId).catch((error) => this.faults.add(`run of "${run.message}": ${error.message}`));
  }

  async #work({ runId, message }, threadId) {
    const ids = { thread_id: threadId, trace_id: runId, agent_id: this.name };
    await this.#report({ type: 'thread_started', data: ids });
    const before = await this.#historyOf(threadId);
    this.faults.add(memoryFault(message, before));
    await pause(Math.random() * WORK_MS);
    await this.gate(message);
    const said = [
      { role: 'user', content: message },
      { role: 'assistant', content: answerTo(message) },
    ];
    const history = [...before, ...said].slice(-WINDOW);
    const fields = { step_index: 0, status: 'in_progress', history, tokens_used: 100, model: 'soak-1' };
    this.#openThreads.delete(threadId); // the next run may begin before this one gets the response to its end
    await this.#report(
      { type: 'checkpoint', data: { ...ids, ...fields } },
      { type: 'thread_completed', data: { ...ids, tokens_used: 100 } },
    );
  }

  async #historyOf(threadId) {
    const path = `/v1/runners/threads/${encodeURIComponent(threadId)}/latest?resume=true`;
    const { bytes } = await this.#untilTaken(() => this.client().get(path));
    return JSON.parse(bytes.toString()).history;
  }

  #report(...events) {
    const body = batchOf(events.map((event) => ({ id: randomUUID(), ...event })));
    return this.#untilTaken(() => this.client().post(EVENTS, body));
  }

  async #untilTaken(send) {
    for (;;) {
      const answer = await send().catch(() => null);
      if (answer?.status === 200) return answer;
      if (answer && !isRetryable(answer)) throw new Error(`${answer.status} ${answer.bytes.toString().slice(0, 200)}`);
      await pause(AGAIN_MS);
    }
  }
}

/** Messages of a chat are numbered: the last one in the history must be the answer to the previous one. */
function memoryFault(message, history) {
  const [, chat, number] = /^(.*#)(\d+)$/.exec(message);
  if (number === '0') return null;
  const wanted = answerTo(`${chat}${number - 1}`);
  const found = history.at(-1)?.content;
  return found === wanted ? null : `the run of "${message}" finds "${found}" as what was said last`;
}
