import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { DispatchConfig } from '../../../config/dispatch.config.js';

/** Clocks are corrected by less than that; a machine that was asleep is further behind. */
const ASLEEP_MS = 60_000;

/**
 * How long a run of which nothing is heard is waited for. Only time in which this process was there to hear something counts: what
 * agents had to say while it was down, or its machine asleep, comes in after that.
 */
@Injectable()
export class RunPatience {
  private hereSinceMs: number;
  private clockAheadMs: number;

  constructor(
    private readonly config: DispatchConfig,
    private readonly clock: Clock,
  ) {
    this.hereSinceMs = clock.nowMs();
    this.clockAheadMs = this.clockNowAheadMs();
  }

  get limitSeconds(): number {
    return this.config.runLimitSeconds;
  }

  /** @param lastHeardMs when something was last heard of the run @returns milliseconds; none are left at 0 or below */
  leftMs(lastHeardMs: number): number {
    this.noticeSleep();
    return Math.max(lastHeardMs, this.hereSinceMs) + this.limitSeconds * 1000 - this.clock.nowMs();
  }

  private noticeSleep(): void {
    const aheadMs = this.clockNowAheadMs();
    if (aheadMs - this.clockAheadMs > ASLEEP_MS) this.hereSinceMs = this.clock.nowMs();
    this.clockAheadMs = aheadMs;
  }

  /** Against the time that the process has run for, in which sleep does not count. */
  private clockNowAheadMs(): number {
    return this.clock.nowMs() - performance.now();
  }
}
