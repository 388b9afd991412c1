import { EVENTS, batchOf } from './client.mjs';
import { messageText } from './events.mjs';

const STEPS_OF_RUN = 4;
/** Messages after which a new thread is begun: whole histories are sent, and would grow forever. */
const MESSAGES_AT_MOST = 60;

/**
 * Agents without memory: they repeatedly read `latest`, continue its history, and report all of it with the additions, in the same run or a
 * new one of the same thread.
 */
export class ResumedThreads {
  /** Number of times that an agent continued from `latest`. */
  resumed = 0;
  #threads;
  #turn = 0;

  /**
   * @param {import('./client.mjs').Client} client
   * @param {{count: number, expect: (kind: string, send: () => Promise<any>) => Promise<any>, faults: import('../../bench/generator/fault-list.mjs').FaultList}} options
   */
  constructor(client, { count, expect, faults }) {
    this.client = client;
    this.expect = expect;
    this.faults = faults;
    this.#threads = Array.from({ length: count }, (_, n) => newThread(n, 0));
  }

  /** Reports one step of the next free thread. */
  async goOn() {
    const { length } = this.#threads;
    let n = this.#turn++ % length;
    while (this.#threads[n].isBusy) n = (n + 1) % length;
    if (this.#threads[n].messages.length >= MESSAGES_AT_MOST) this.#threads[n] = newThread(n, this.#threads[n].age + 1);
    const thread = this.#threads[n];
    thread.isBusy = true;
    await this.#step(thread).finally(() => (thread.isBusy = false));
  }

  /** Compares all checkpoints of the last threads with their reports, histories byte by byte. @param {number} count limit of threads */
  async verify(count, faults) {
    for (const { id, messages } of this.#threads.slice(0, count)) {
      const { bytes } = await this.client.get(`/threads/${id}/checkpoints`);
      let position = 0;
      for (let length = 2; length <= messages.length && position >= 0; length += 2)
        position = bytes.indexOf(`"history":[${messages.slice(0, length).join(',')}]`, position);
      const found = JSON.parse(bytes.toString()).items?.length;
      const isWhole = position >= 0 && found === messages.length / 2;
      faults.add(isWhole ? null : `${id}: ${found} checkpoints of ${messages.length / 2}, or not what was reported`);
    }
  }

  async #step(thread) {
    const { id, messages } = thread;
    if (messages.length > 0) await this.#read(thread);
    const isNewRun = thread.step === STEPS_OF_RUN;
    if (isNewRun) await this.#beginRun(thread);
    messages.push(messageText(id, messages.length, 0), messageText(id, messages.length + 1, 0));
    // An agent restarted within a run reports that.
    const started = thread.step % 2 === 1 ? [eventOf('thread_started', thread)] : [];
    await this.#report(...started, checkpointOf(thread));
    thread.step += 1;
  }

  /** Nothing is lost between two runs either: the new one finds the old one's history. */
  async #beginRun(thread) {
    await this.#report(eventOf('thread_completed', thread));
    thread.run += 1;
    thread.step = 0;
    await this.#report(eventOf('thread_started', thread));
    await this.#read(thread);
  }

  async #read({ id, messages }) {
    const answer = await this.expect('resuming', () => this.client.get(`/v1/runners/threads/${id}/latest?resume=true`));
    this.resumed += 1;
    const isSame = answer.bytes.includes(`"history":[${messages.join(',')}]`);
    this.faults.add(isSame ? null : `${id}: latest is not what was reported last`);
  }

  #report(...events) {
    return this.expect('going on', () => this.client.post(EVENTS, batchOf(events)));
  }
}

function newThread(n, age) {
  return { id: `resumed-${n}-${age}`, age, run: 0, step: 0, messages: [], isBusy: false };
}

function eventOf(type, { id, run }) {
  return { type, data: { thread_id: id, trace_id: `${id}-run-${run}`, agent_id: 'soak' } };
}

function checkpointOf({ id, run, step, messages }) {
  const numbers = { step_index: step, status: 'in_progress', tokens_used: 100, model: 'soak-1' };
  const data = { thread_id: id, trace_id: `${id}-run-${run}`, agent_id: 'soak', ...numbers };
  return `{"type":"checkpoint","data":${JSON.stringify(data).slice(0, -1)},"history":[${messages.join(',')}]}}`;
}
