import { setTimeout as pause } from 'node:timers/promises';
import { SingleFlight } from '../../../common/single-flight.js';
import type { ScheduleTrigger } from '../definition/definition.js';
import type { LaunchedRun } from '../run-launcher.js';
import type { FiringsService } from './firings.service.js';

const RETRY_MS = 1_000;

/** Starts one schedule's runs, one due instant after the other, as its overlap policy allows. */
export class FiringQueue {
  private readonly waiting: number[] = [];
  private readonly active = new Map<string, Promise<void>>();
  private readonly end = new AbortController();
  private readonly stopped = new Promise<void>((resolve) => {
    this.end.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  private readonly work = new SingleFlight(() => this.fireAll());

  constructor(
    private readonly trigger: ScheduleTrigger,
    private readonly firings: FiringsService,
  ) {}

  /** Whether a run of the schedule has not ended or not started yet. */
  get isBusy(): boolean {
    return this.active.size > 0 || this.waiting.length > 0;
  }

  get waitingCount(): number {
    return this.waiting.length;
  }

  add(dueMs: number): void {
    this.waiting.push(dueMs);
    this.work.wake();
  }

  /** Counts a run as the schedule's until it has ended. */
  follow({ runId, ended }: Pick<LaunchedRun, 'runId' | 'ended'>): void {
    const done = ended.catch(() => undefined).finally(() => this.active.delete(runId));
    this.active.set(runId, done);
  }

  /** Starts nothing more. What waits is in the ledger and starts next time. */
  async stop(): Promise<void> {
    this.end.abort();
    await this.work.stop();
  }

  private async fireAll(): Promise<void> {
    for (let dueMs = this.waiting[0]; dueMs !== undefined; dueMs = this.waiting[0]) {
      if (this.trigger.overlap !== 'allow') await this.untilIdle();
      const isDone = !this.end.signal.aborted && (await this.fire(dueMs));
      if (this.end.signal.aborted) return;
      if (isDone) this.waiting.shift();
      else await pause(RETRY_MS, undefined, { signal: this.end.signal, ref: false }).catch(() => undefined);
    }
  }

  private async untilIdle(): Promise<void> {
    await Promise.race([Promise.all(this.active.values()), this.stopped]);
  }

  /** Returns false to try again. */
  private async fire(dueMs: number): Promise<boolean> {
    try {
      const run = await this.firings.launch(this.trigger, dueMs);
      this.follow(run);
      await this.firings.markFired(this.trigger, dueMs, run);
      return true;
    } catch (error) {
      return this.firings.giveUp(this.trigger, dueMs, error);
    }
  }
}
