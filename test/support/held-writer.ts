import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ThreadJournal } from '../../src/modules/threads/journal/thread-journal.service.js';
import type { InProcessApp } from './in-process-app.js';

/** Groups that the journal processes at the same time. */
const LANES = 2;

/** Keeps an application's journal busy, so that requests arriving meanwhile wait, and share a group once it is released. */
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

  /** Starts the request and resolves once it waits for the writer, or got a response without it. */
  async queue<T>(request: () => Promise<T>): Promise<{ answer: Promise<T> }> {
    const before = this.journal.load.jobs;
    let isAnswered = false;
    const answer = request().finally(() => (isAnswered = true));
    answer.catch(() => undefined); // whoever awaits it gets the error
    while (!isAnswered && this.journal.load.jobs === before) await nextTurn();
    return { answer };
  }

  /** Releases the writer. */
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

/** Sends the requests so that they reach the journal in this order and share one group. @returns their results */
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
