import type { SqlRow } from '../../../database/database.js';
import type { Clock } from '../../../common/clock.js';
import type { Logger } from '../../../common/logger.js';
import type { Lane } from './leases.repository.js';
import { SetBackWatch } from './set-back-watch.js';

/** What a loop works off. */
export interface WorkSource<Row extends SqlRow> {
  /** For the log. */
  name: string;
  /** Takes up to `limit` lanes that are due. Costs next to nothing where there are none. */
  claim(limit: number): Promise<Lane<Row>[]>;
  /** Has everything looked at that waits for a time: the clock was set back. @returns false where not all was reached */
  lookAtAll(): Promise<boolean>;
  renew(lanes: readonly Lane<Row>[]): Promise<void>;
  /** Does what the lane needs now and gives it back. @returns when to look at it next, null for when there is something new */
  work(lane: Lane<Row>): Promise<number | null>;
  /** Gives a lane back whose work failed unexpectedly. */
  giveUp(lane: Lane<Row>): Promise<void>;
}

export interface WorkLoopOptions {
  /** Lanes that are worked on at once. */
  concurrency: number;
  /** Milliseconds between two renewals of their leases. */
  renewMs: number;
}

const POLL_MS = 1_000;

/** Claims lanes and works them off beside each other, woken by whoever made work, with a look every second behind it. */
export class WorkLoop<Row extends SqlRow> {
  private readonly active = new Map<Lane<Row>, Promise<void>>();
  private timer: NodeJS.Timeout | null = null;
  private timerAtMs = Infinity;
  private renewTimer: NodeJS.Timeout | null = null;
  private looking: Promise<void> | null = null;
  private isWoken = false;
  private isStopped = false;
  private readonly setBacks: SetBackWatch;

  constructor(
    private readonly source: WorkSource<Row>,
    private readonly options: WorkLoopOptions,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {
    this.setBacks = new SetBackWatch(clock, logger, source.name);
  }

  start(): void {
    this.renewTimer = setInterval(() => void this.renew(), this.options.renewMs).unref();
    this.wake();
  }

  wake(): void {
    this.isWoken = true;
    if (!this.isStopped) this.looking ??= this.look().finally(() => (this.looking = null));
  }

  /** Takes nothing more on and waits for what is under way. */
  async stop(): Promise<void> {
    this.isStopped = true;
    if (this.timer) clearTimeout(this.timer);
    if (this.renewTimer) clearInterval(this.renewTimer);
    await this.looking;
    await Promise.all(this.active.values());
  }

  private async look(): Promise<void> {
    while (this.isWoken && !this.isStopped) {
      this.isWoken = false;
      const free = this.options.concurrency - this.active.size;
      if (free <= 0) break; // whoever ends looks again
      try {
        await this.setBacks.check(() => this.source.lookAtAll());
        const lanes = await this.source.claim(free);
        for (const lane of lanes) this.begin(lane);
        if (lanes.length === free) this.isWoken = true;
      } catch (error) {
        this.logger.warn({ err: error, work: this.source.name }, 'work could not be looked up; tried again');
      }
    }
    this.lookIn(POLL_MS);
  }

  private begin(lane: Lane<Row>): void {
    const wasFull = () => this.active.size >= this.options.concurrency;
    const done = this.work(lane).then((nextMs) => {
      const looksAgain = wasFull();
      this.active.delete(lane);
      if (looksAgain) this.wake();
      else if (nextMs !== null) this.lookIn(nextMs - this.clock.nowMs());
    });
    this.active.set(lane, done);
  }

  /** A fault in one lane stops no other. */
  private async work(lane: Lane<Row>): Promise<number | null> {
    try {
      return await this.source.work(lane);
    } catch (error) {
      this.logger.error({ err: error, work: this.source.name, lane: lane.owner }, 'work failed; tried again later');
      await this.source.giveUp(lane).catch(() => undefined); // the lease runs out by itself
      return null;
    }
  }

  private async renew(): Promise<void> {
    const lanes = [...this.active.keys()];
    if (lanes.length === 0) return;
    await this.source
      .renew(lanes)
      .catch((error: unknown) => this.logger.warn({ err: error, work: this.source.name }, 'leases not renewed'));
  }

  /** Looks in so many milliseconds, unless it is to be done earlier anyway. */
  private lookIn(ms: number): void {
    if (this.isStopped) return;
    const delayMs = Math.min(Math.max(ms, 0), POLL_MS);
    const atMs = performance.now() + delayMs;
    if (this.timer && this.timerAtMs <= atMs) return;
    if (this.timer) clearTimeout(this.timer);
    this.timerAtMs = atMs;
    this.timer = setTimeout(() => {
      this.timer = null;
      this.wake();
    }, delayMs).unref();
  }
}
