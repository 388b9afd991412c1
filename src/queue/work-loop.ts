import type { SqlRow } from '../database/database.js';
import { Clock } from '../common/clock.js';
import { Logger } from '../common/logger.js';
import { SingleFlight } from '../common/single-flight.js';
import type { CallWatch } from './call-watch.js';
import { shuffled, LaneCapacity } from './lane-capacity.js';
import type { Lanes } from './lanes.js';
import type { Lane, LaneScope } from './leases.repository.js';
import { WakeSignal } from './wake-signal.js';
import { ClockRollbackDetector } from './clock-rollback-detector.js';
import { Injectable } from '@nestjs/common';
import { DispatchConfig } from '../config/dispatch.config.js';

export interface WorkSource<Row extends SqlRow> {
  /** For the log. */
  name: string;
  lanes: Lanes<Row>;
  /** The calls made for lanes. */
  calls: CallWatch;
  /** Does the lane's due work and releases it. @returns when to look at it next; null to wait for new work */
  work(lane: Lane<Row>): Promise<number | null>;
  /** Releases a lane whose work failed unexpectedly. */
  giveUp(lane: Lane<Row>): Promise<void>;
  /** Makes everything that waits due, because the clock was set back. @returns false if it did not reach all */
  lookAtAll(): Promise<boolean>;
}

const POLL_MS = 1_000;
/** Crowded accounts per look: each costs a query. The next look finds more. */
const CROWDED_AT_ONCE = 8;
const NOBODY: ReadonlySet<string> = new Set();

/** Takes lanes and works on many at once. Whoever stores work wakes it; it also polls every second. */
export class WorkLoop<Row extends SqlRow> {
  private readonly active = new Map<Lane<Row>, Promise<void>>();
  private readonly places: LaneCapacity<Row>;
  private timer: NodeJS.Timeout | null = null;
  private timerAtMs = Infinity;
  private renewTimer: NodeJS.Timeout | null = null;
  private readonly looks = new SingleFlight(() => this.look());
  /** Whether the last look lacked places for some kind of lane. */
  private isFull = false;
  private nextSlowLookAtMs = 0;
  private readonly rollbacks: ClockRollbackDetector;
  private unsubscribe: () => void = () => undefined;

  constructor(
    private readonly source: WorkSource<Row>,
    private readonly renewMs: number,
    private readonly wakes: WakeSignal,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {
    this.rollbacks = new ClockRollbackDetector(clock, logger, source.name);
    this.places = new LaneCapacity(source.lanes, this.active);
  }

  start(): void {
    this.unsubscribe = this.wakes.subscribe(() => this.wake());
    this.source.calls.onSlow(() => this.wake()); // places become free
    this.renewTimer = setInterval(() => void this.renew(), this.renewMs).unref();
    this.wake();
  }

  wake(): void {
    this.looks.wake();
  }

  /** Takes no more lanes and waits for running work. */
  async stop(): Promise<void> {
    this.unsubscribe();
    if (this.timer) clearTimeout(this.timer);
    if (this.renewTimer) clearInterval(this.renewTimer);
    await this.looks.stop();
    await Promise.all(this.active.values());
  }

  private async look(): Promise<void> {
    try {
      await this.rollbacks.check(() => this.source.lookAtAll());
      this.isFull = false;
      const slow = this.source.calls.slowOnes();
      const crowded = await this.claimUsual(slow);
      await this.claimCrowded(slow, crowded);
      await this.claimSlow(slow);
    } catch (error) {
      this.logger.warn({ err: error, work: this.source.name }, 'work could not be looked up; retrying');
    }
    this.lookIn(POLL_MS);
  }

  /** Skips accounts with so many lanes that others would have to wait. @returns these accounts */
  private async claimUsual(slow: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    const crowded = new Set<string>();
    this.places.noteCrowded(crowded, slow, []);
    for (let tries = 1; ; tries++) {
      const scope = { notCalling: slow, notOf: crowded };
      const free = this.places.free(slow, crowded);
      const due = free > 0 ? await this.source.lanes.peek(free, scope) : [];
      const isCrowd = this.places.noteCrowded(crowded, slow, due);
      if (isCrowd && tries <= CROWDED_AT_ONCE) continue;
      if (due.length > 0 || free <= 0) await this.claim(free, scope);
      return crowded;
    }
  }

  /** After the others: their lanes only wait for each other. */
  private async claimCrowded(slow: ReadonlySet<string>, crowded: ReadonlySet<string>): Promise<void> {
    for (const account of shuffled([...crowded])) {
      const scope = { notCalling: slow, notOf: NOBODY, of: account };
      const free = this.places.freeOfCrowded(slow, crowded, account);
      if (free <= 0 || (await this.source.lanes.peek(1, scope)).length > 0) await this.claim(free, scope);
    }
  }

  /** Looks again if it filled all places; if there are none, each lane that ends does. */
  private async claim(free: number, scope: LaneScope): Promise<void> {
    if (free <= 0) return void (this.isFull = true);
    if ((await this.take(free, scope)) === free) this.wake();
  }

  private async take(free: number, scope: LaneScope): Promise<number> {
    const lanes = await this.source.lanes.claim(free, scope);
    for (const lane of lanes) this.begin(lane);
    return lanes.length;
  }

  /** Not at every wake: it costs a query for each slow agent or account with work. */
  private async claimSlow(slow: ReadonlySet<string>): Promise<void> {
    if (slow.size === 0 || performance.now() < this.nextSlowLookAtMs) return;
    this.nextSlowLookAtMs = performance.now() + POLL_MS / 2;
    for (const called of shuffled(await this.source.lanes.findDue(slow))) {
      const free = this.places.freeOfSlow(slow, called);
      if (free > 0) await this.take(free, { notCalling: NOBODY, calling: called, notOf: NOBODY });
    }
  }

  private begin(lane: Lane<Row>): void {
    const done = this.work(lane).then((nextMs) => {
      this.active.delete(lane);
      if (this.isFull) this.wake();
      else if (nextMs !== null) this.lookIn(nextMs - this.clock.nowMs());
    });
    this.active.set(lane, done);
  }

  /** A failing lane does not stop others. */
  private async work(lane: Lane<Row>): Promise<number | null> {
    try {
      return await this.source.work(lane);
    } catch (error) {
      this.logger.warn({ err: error, work: this.source.name, lane: lane.owner }, 'work failed; retrying later');
      await this.source.giveUp(lane).catch(() => undefined); // the lease expires by itself
      return null;
    }
  }

  private async renew(): Promise<void> {
    const lanes = [...this.active.keys()];
    if (lanes.length === 0) return;
    await this.source.lanes
      .renew(lanes)
      .catch((error: unknown) => this.logger.warn({ err: error, work: this.source.name }, 'leases not renewed'));
  }

  /** Looks again after this many milliseconds, or earlier if already planned. */
  private lookIn(ms: number): void {
    if (this.looks.isStopped) return;
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

@Injectable()
export class WorkLoops {
  constructor(
    private readonly config: DispatchConfig,
    private readonly wakes: WakeSignal,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  create<Row extends SqlRow>(source: WorkSource<Row>): WorkLoop<Row> {
    const renewMs = (this.config.leaseSeconds * 1000) / 3;
    return new WorkLoop(source, renewMs, this.wakes, this.clock, this.logger);
  }
}
