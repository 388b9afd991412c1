import { setTimeout as pause } from 'node:timers/promises';
import { FaultList } from '../../bench/generator/fault-list.mjs';
import { EVENTS, batchOf, isRetryable } from './client.mjs';
import { checkpointText, historyText } from './events.mjs';

/** Milliseconds before a refused report is retried; less than Retry-After, for more pressure. */
const AGAIN_MS = 100;
/** Milliseconds of rest after each bystander's report in the short forms, which run beside other tests. */
const SHORT_REST_MS = 100;
const VERIFIED_AT_ONCE = 8;

/**
 * Agents that report step after step, each in its own thread. Like a real client, they retry a report until it is acknowledged, and
 * remember it.
 */
export class Reporters {
  /** Acknowledged steps of each thread. @type {Map<string, number>} */
  acknowledged = new Map();
  /** Responses after which a client would not retry. */
  faults = new FaultList();
  /** Retried reports, by reason. @type {Map<string, number>} */
  again = new Map();
  /** Milliseconds of acknowledged reports, in order; of the try that succeeded. @type {number[]} */
  latenciesMs = [];
  #isStopped = false;
  #ended;

  /**
   * @param {() => import('./client.mjs').Client} client called before each report
   * @param {{name: string, writers: number, padding?: number, steps?: number, restMs?: number}} options `steps`: ends by itself after so
   * many   each; `restMs`: between a response and the next report
   */
  constructor(client, { name, writers, padding = 0, steps = Infinity, restMs = 0 }) {
    this.client = client;
    this.padding = padding;
    this.steps = steps;
    this.restMs = restMs;
    const threads = Array.from({ length: writers }, (_, writer) => `${name}-${writer}`);
    for (const threadId of threads) this.acknowledged.set(threadId, 0);
    this.#ended = Promise.all(threads.map((threadId) => this.#write(threadId)));
  }

  get total() {
    return [...this.acknowledged.values()].reduce((sum, steps) => sum + steps, 0);
  }

  get againText() {
    const reasons = [...this.again].map(([reason, count]) => `${reason} ${count}x`);
    return reasons.length === 0 ? 'nothing had to be sent again' : `sent again: ${reasons.join(', ')}`;
  }

  /** Resolves when everything in flight was answered or given up. */
  async stop() {
    this.#isStopped = true;
    await this.#ended;
  }

  /** Resolves when every writer has done its steps. */
  async ended() {
    await this.#ended;
  }

  /**
   * Every acknowledged step must read back, histories byte for byte; an unacknowledged one must be whole or absent.
   * @param {import('./client.mjs').Client} client @returns {Promise<FaultList>}
   */
  async verify(client) {
    const faults = new FaultList();
    const threads = [...this.acknowledged];
    const verifyNext = async () => {
      for (let next = threads.pop(); next; next = threads.pop()) faults.add(await this.#faultOf(client, ...next));
    };
    await Promise.all(Array.from({ length: VERIFIED_AT_ONCE }, verifyNext));
    return faults;
  }

  async #write(threadId) {
    for (let step = 0; step < this.steps && !this.#isStopped; step += 1) {
      if (!(await this.#report(threadId, step))) return;
      this.acknowledged.set(threadId, step + 1);
      if (this.restMs > 0) await pause(this.restMs);
    }
  }

  /** Whether the report was acknowledged. */
  async #report(threadId, step) {
    const body = batchOf([checkpointText(threadId, step, { padding: this.padding })]);
    while (!this.#isStopped) {
      const answer = await this.client()
        .post(EVENTS, body)
        .catch((error) => ({ error }));
      if (answer.status === 200 && answer.bytes.toString() === '{"saved":1,"rejected":[]}') {
        this.latenciesMs.push(answer.ms);
        return true;
      }
      if (!answer.error && !isRetryable(answer)) {
        this.faults.add(`${answer.status} ${answer.bytes.toString().slice(0, 200)}`);
        return false;
      }
      const reason = answer.error ? (answer.error.code ?? answer.error.message) : String(answer.status);
      this.again.set(reason, (this.again.get(reason) ?? 0) + 1);
      await pause(AGAIN_MS);
    }
    return false;
  }

  async #faultOf(client, threadId, steps) {
    const { status, bytes } = await client.get(`/threads/${threadId}/checkpoints?history=full`);
    if (status === 404 && steps === 0) return null;
    if (status !== 200) return `checkpoints of ${threadId}: ${status} ${bytes.toString().slice(0, 200)}`;
    const { items } = JSON.parse(bytes.toString());
    if (items.length < steps || items.length > steps + 1)
      return `${threadId}: ${items.length} checkpoints, ${steps} acknowledged`;
    let position = 0;
    for (const [step, item] of items.entries()) {
      const isRight = item.step_index === step && item.tokens_used === 100 * (step + 1);
      position = bytes.indexOf(`"history":${historyText(threadId, step, this.padding)}`, position) + 1;
      if (!isRight || position === 0) return `${threadId}: step ${step} is not what was reported`;
    }
    return null;
  }
}

/** How long bystanders rest. @param {import('./stage.mjs').Stage} stage */
export function restOfBystanders({ isShort }) {
  return isShort ? SHORT_REST_MS : 0;
}

/**
 * Runs work while agents report, and stops them even if it fails. @template T @param {Reporters} reporters @param {() => Promise<T>} work
 */
export async function whileReporting(reporters, work) {
  try {
    return await work();
  } finally {
    await reporters.stop();
  }
}
