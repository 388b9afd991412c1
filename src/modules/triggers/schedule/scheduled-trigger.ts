import type { Clock } from '../../../common/clock.js';
import type { ScheduleTrigger } from '../definition/definition.js';
import { CronSchedule } from '../definition/cron/cron-schedule.js';
import { decideDue, type Decision } from './due-instants.js';
import { FiringQueue } from './firing-queue.js';
import type { FiringsService } from './firings.service.js';

/** Rows that a long downtime may leave; earlier instants are only counted. */
const MAX_BEHIND = 500;
/** Instants that may wait for the previous run; further ones are skipped. */
const MAX_WAITING = 100;

/** One schedule of the definition file: knows when it is due, and gives each due instant exactly one outcome. */
export class ScheduledTrigger {
  private readonly schedule: CronSchedule;
  private readonly queue: FiringQueue;
  private decidedUntilMs = 0;
  private nextMs: number | null = null;

  constructor(
    readonly trigger: ScheduleTrigger,
    private readonly firings: FiringsService,
    private readonly clock: Clock,
  ) {
    this.schedule = new CronSchedule(trigger.cron, trigger.timezone);
    this.queue = new FiringQueue(trigger, firings);
  }

  /** The next undecided instant; null if there is none. */
  get nextDueMs(): number | null {
    return this.nextMs;
  }

  /** Continues where the previous process stopped. A new schedule begins now. */
  async open(): Promise<void> {
    const { decidedUntilMs, lastRun, waitingMs } = await this.firings.open(this.trigger);
    this.moveTo(decidedUntilMs);
    if (lastRun !== null) this.queue.follow(lastRun);
    for (const dueMs of waitingMs) this.queue.add(dueMs);
  }

  /**
   * Decides about everything that has become due, and starts runs without waiting for them.
   * @throws DomainError if the ledger cannot be written; then nothing is decided, and the next look repeats it
   */
  async look(): Promise<void> {
    const nowMs = this.clock.nowMs();
    // The clock was set back. Decisions stand, because the ledger has them, but new instants must not wait for the old time.
    if (nowMs < this.decidedUntilMs) this.moveTo(nowMs);
    if (this.nextMs === null || this.nextMs > nowMs) return;
    const { instants, hasEarlier } = this.schedule.latestBetween(this.decidedUntilMs, nowMs, MAX_BEHIND);
    const decisions = this.withOverlap(decideDue(instants, nowMs, this.trigger));
    const dueNow = await this.firings.decide(this.trigger, decisions, nowMs, hasEarlier);
    this.moveTo(nowMs);
    for (const dueMs of dueNow) this.queue.add(dueMs);
  }

  async stop(): Promise<void> {
    await this.queue.stop();
  }

  private moveTo(ms: number): void {
    this.decidedUntilMs = ms;
    this.nextMs = this.schedule.nextAfter(ms);
  }

  /** Firings caught up together never overlap each other; the policy concerns the run before them. */
  private withOverlap(decisions: Decision[]): Decision[] {
    const { overlap } = this.trigger;
    if (overlap === 'skip' && this.queue.isBusy) {
      return decisions.map((one) => (one.state === 'waiting' ? { ...one, state: 'skipped', reason: 'overlap' } : one));
    }
    let room = overlap === 'queue' ? MAX_WAITING - this.queue.waitingCount : MAX_BEHIND;
    return decisions.map((one) => {
      if (one.state !== 'waiting' || room-- > 0) return one;
      return { ...one, state: 'skipped', reason: 'queue_full' };
    });
  }
}
