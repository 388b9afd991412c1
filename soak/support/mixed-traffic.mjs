import { FaultList } from '../../bench/generator/fault-list.mjs';
import { EVENTS, batchOf } from './client.mjs';
import { checkpointText, historyText, waitingEvent } from './events.mjs';
import { ResumedThreads } from './resumed-threads.mjs';

const WORKERS = 16;
/** One report in this many is followed by waiting tool calls. */
const WAITS_EVERY = 50;
/** One checkpoint in this many is from an agent that reads `latest` and continues from there. */
const RESUMED_EVERY = 6;
const SAMPLE = 50;

/** Agents and people with typical requests, as fast as they are answered. */
export class MixedTraffic {
  faults = new FaultList();
  requests = 0;
  #steps;
  #busy = new Set();
  #done = 0;
  #turn = 0;
  #begunMs = performance.now();
  /** Response times in milliseconds, by kind of request. @type {Map<string, number[]>} */
  #latenciesMs = new Map();

  /** @param {import('./client.mjs').Client} client @param {{threads: number, checkpoints: number}} sizes */
  constructor(client, { threads, checkpoints }) {
    this.client = client;
    this.checkpoints = checkpoints;
    this.#steps = new Array(threads).fill(0);
    const expect = (kind, send) => this.#expect(kind, send);
    this.resumed = new ResumedThreads(client, {
      count: Math.max(2 * WORKERS, Math.ceil(threads / 10)),
      expect,
      faults: this.faults,
    });
  }

  threadId(n) {
    return `mixed-${n}`;
  }

  stepsOf(n) {
    return this.#steps[n];
  }

  perSecond() {
    return (this.requests * 1000) / (performance.now() - this.#begunMs);
  }

  /** Reports the first step of the threads that streams will follow. */
  async begin() {
    for (let n = 0; n < Math.min(20, this.#steps.length); n += 1) await this.#report(n);
  }

  /**
   * @param {number} checkpoints reported in all @returns {Promise<Map<string, number[]>>} response times in milliseconds, by kind of
   * request
   */
  async runUntil(checkpoints) {
    this.#latenciesMs = new Map();
    const work = async () => {
      while (this.#done < checkpoints) await this.#oneTurn();
    };
    await Promise.all(Array.from({ length: Math.min(WORKERS, this.#steps.length) }, work));
    return this.#latenciesMs;
  }

  /** Compares the checkpoints of a sample of threads with their reports, histories byte by byte. */
  async verify() {
    const faults = new FaultList();
    const stride = Math.max(1, Math.floor(this.#steps.length / SAMPLE));
    for (let n = 0; n < this.#steps.length; n += stride) {
      const path = `/threads/${this.threadId(n)}/checkpoints`;
      const { bytes } = await this.client.get(path);
      let position = 0;
      for (let step = 0; step < this.#steps[n] && position >= 0; step += 1)
        position = bytes.indexOf(`"history":${historyText(this.threadId(n), step)}`, position);
      faults.add(position >= 0 ? null : `${this.threadId(n)}: a step is not what was reported`);
    }
    await this.resumed.verify(SAMPLE, faults);
    return faults;
  }

  async #oneTurn() {
    const turn = this.#turn++;
    if (turn % RESUMED_EVERY === RESUMED_EVERY - 1) {
      await this.resumed.goOn();
      this.#done += 1;
      return;
    }
    const n = this.#freeThread(turn);
    this.#busy.add(n);
    try {
      await this.#report(n);
      if (turn % WAITS_EVERY === 0) await this.#askPerson(n, turn);
      if (turn % 4 === 0) await this.#ask('latest', `/v1/runners/threads/${this.threadId(n)}/latest`);
      if (turn % 20 === 0) await this.#ask('list', '/threads?limit=50');
      if (turn % 100 === 0) await this.#ask('thread', `/threads/${this.threadId(n)}`);
      if (turn % 100 === 50) await this.#ask('approvals', '/approvals');
    } finally {
      this.#busy.delete(n);
    }
  }

  /** Some threads are much busier than others. */
  #freeThread(turn) {
    const { length } = this.#steps;
    let n = turn % 3 === 0 ? turn % Math.ceil(length / 10) : (turn * 7919) % length;
    while (this.#busy.has(n)) n = (n + 1) % length;
    return n;
  }

  async #report(n) {
    const step = this.#steps[n];
    await this.#expect('report', () => this.client.post(EVENTS, batchOf([checkpointText(this.threadId(n), step)])));
    this.#steps[n] = step + 1;
    this.#done += 1;
  }

  /** A sub-agent waits for a person, who approves. */
  async #askPerson(n, turn) {
    const trace = `call-${turn}`;
    const waiting = waitingEvent(`calls-${n}`, trace, 1);
    await this.#expect('waiting', () => this.client.post(EVENTS, batchOf([waiting])));
    await this.#expect('decision', () => this.client.post(`/approvals/${trace}/1/approve`, { decided_by: 'soak' }));
  }

  #ask(kind, path) {
    return this.#expect(kind, () => this.client.get(path));
  }

  async #expect(kind, send) {
    this.requests += 1;
    const answer = await send().catch((error) => ({ status: 0, ms: 0, bytes: Buffer.from(error.message) }));
    const sameKind = this.#latenciesMs.get(kind) ?? [];
    this.#latenciesMs.set(kind, sameKind);
    sameKind.push(answer.ms);
    const { bytes } = answer;
    this.faults.add(answer.status === 200 ? null : `${answer.status} ${bytes.toString().slice(0, 200)}`);
    return answer;
  }
}
