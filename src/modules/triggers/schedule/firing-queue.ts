import { setTimeout as pause } from 'node:timers/promises';
import { isoTime } from '../../../common/clock.js';
import { DomainError } from '../../../common/domain-error.js';
import { SingleFlight } from '../../../common/single-flight.js';
import type { ScheduleTrigger } from '../definition/definition.js';
import type { FiringServices } from './firing-services.js';

const RETRY_MS = 1_000;

/** Starts the runs of one schedule, one due instant after the other, as its overlap policy allows. */
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
    private readonly services: FiringServices,
  ) {}

  /** Whether a run of the schedule has not ended, or is still to be started. */
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

  /** Counts a run as one of the schedule's until it has ended. */
  follow(runId: string, ended: Promise<void>): void {
    const done = ended.catch(() => undefined).finally(() => this.active.delete(runId));
    this.active.set(runId, done);
  }

  /** Starts nothing more. What waits is in the ledger and is started next time. */
  async stop(): Promise<void> {
    this.end.abort();
    await this.work.stop();
  }

  private async fireAll(): Promise<void> {
    for (let dueMs = this.waiting[0]; dueMs !== undefined; dueMs = this.waiting[0]) {
      if (this.trigger.overlap !== 'allow') await this.untilIdle();
      const isDone = !this.end.signal.aborted && (await this.settle(dueMs));
      if (this.end.signal.aborted) return;
      if (isDone) this.waiting.shift();
      else await pause(RETRY_MS, undefined, { signal: this.end.signal, ref: false }).catch(() => undefined);
    }
  }

  private async untilIdle(): Promise<void> {
    await Promise.race([Promise.all(this.active.values()), this.stopped]);
  }

  /** Answers false where it is to be tried again. */
  private async settle(dueMs: number): Promise<boolean> {
    const { path: trigger } = this.trigger;
    const due_at = isoTime(dueMs);
    try {
      await this.fire(dueMs);
      return true;
    } catch (error) {
      const kind = error instanceof DomainError ? error.kind : null;
      if (kind === 'unavailable' || kind === 'storage_full') {
        this.services.logger.debug({ trigger, due_at, err: error }, 'schedule cannot fire yet');
        return false;
      }
      const isFull = kind === 'rate_limited';
      const reason = isFull ? 'queue_full' : 'failed';
      this.services.logger[isFull ? 'warn' : 'error']({ trigger, due_at, err: error }, 'schedule did not fire');
      return this.giveUp(dueMs, isFull ? 'skipped' : 'missed', reason);
    }
  }

  private async fire(dueMs: number): Promise<void> {
    const { key, path, agentName, message, threadId } = this.trigger;
    const { firings, launcher, clock, logger } = this.services;
    const due_at = isoTime(dueMs);
    const {
      runId,
      threadId: thread_id,
      ended,
    } = await launcher.launch({
      agentName,
      message,
      threadId,
      context: JSON.stringify({ trigger: path, scheduled_at: due_at }),
      source: 'schedule',
      idempotencyKey: JSON.stringify(['schedule', key, due_at]),
    });
    this.follow(runId, ended);
    await firings.markFired(key, dueMs, runId, clock.nowMs());
    const late_ms = clock.nowMs() - dueMs;
    logger.info({ trigger: path, due_at, late_ms, thread_id, trace_id: runId }, 'schedule fired');
  }

  private async giveUp(dueMs: number, state: 'skipped' | 'missed', reason: 'queue_full' | 'failed'): Promise<boolean> {
    try {
      await this.services.firings.markUnfired(this.trigger.key, dueMs, state, reason);
      return true;
    } catch (error) {
      this.services.logger.warn({ trigger: this.trigger.path, err: error }, 'schedule ledger not written');
      return false;
    }
  }
}
