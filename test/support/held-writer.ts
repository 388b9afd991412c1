import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ThreadJournal } from '../../src/modules/threads/journal/thread-journal.service.js';
import type { InProcessApp } from './in-process-app.js';

/** Groups that the journal works on at the same time. */
const LANES = 2;

/** Keeps the journal of an application busy, so that what comes meanwhile waits, and shares a group once it is released. */
export class HeldWriter {
  private release = () => undefined as void;
  private readonly jobs: Promise<void>[] = [];

  private constructor(private readonly journal: ThreadJournal) {}

  static async hold({ app }: InProcessApp): Promise<HeldWriter> {
    const writer = new HeldWriter(app.get(ThreadJournal, { strict: false }));
    const released = new Promise<void>((resolve) => (writer.release = resolve));
    for (let lane = 0; lane < LANES; lane++) await writer.holdLane(released);
    return writer;
  }

  /** Starts the request and resolves once it waits for the writer, or was answered without it. */
  async queue<T>(request: () => Promise<T>): Promise<{ answer: Promise<T> }> {
    const before = this.journal.load.jobs;
    let isAnswered = false;
    const answer = request().finally(() => (isAnswered = true));
    answer.catch(() => undefined); // whoever awaits it gets the error
    while (!isAnswered && this.journal.load.jobs === before) await nextTurn();
    return { answer };
  }

  /** Lets the writer go on. */
  async goOn(): Promise<void> {
    this.release();
    await Promise.all(this.jobs);
  }

  private async holdLane(released: Promise<void>): Promise<void> {
    await new Promise<void>((isBusy) => {
      const run = () => (isBusy(), released);
      this.jobs.push(this.journal.submit({ name: 'hold', threadIds: [`held-${randomUUID()}`], bytes: 0, run }));
    });
  }
}

/** Makes the requests so that they reach the journal in this order and share one group of it. Answers what they answer. */
export async function inOneGroup<T>(server: InProcessApp, ...requests: (() => Promise<T>)[]): Promise<T[]> {
  const writer = await HeldWriter.hold(server);
  const queued: { answer: Promise<T> }[] = [];
  try {
    for (const request of requests) queued.push(await writer.queue(request));
  } finally {
    await writer.goOn();
  }
  return Promise.all(queued.map(({ answer }) => answer));
}
