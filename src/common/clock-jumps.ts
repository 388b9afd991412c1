import type { Clock } from './clock.js';

/** A clock is corrected by less than that all the time, and the clocks of instances are less than that apart. */
export const CLOCK_TOLERANCE_MS = 5_000;

/**
 * Compares a clock, which somebody may set, with the time that has passed, which nobody can. A machine that was asleep has set its
 * clock forward in this sense: the time that has passed stands still meanwhile.
 */
export class ClockJumps {
  private aheadMs: number;

  constructor(private readonly clock: Pick<Clock, 'nowMs'>) {
    this.aheadMs = this.clockAheadMs();
  }

  /** By how many milliseconds the clock was set since the call before, or since the beginning; below 0 where it was set back. */
  sinceLastMs(): number {
    const beforeMs = this.aheadMs;
    this.aheadMs = this.clockAheadMs();
    return this.aheadMs - beforeMs;
  }

  /** Whether it was set, either way, since the call before: then it cannot be trusted with what cannot be taken back. */
  hasJumped(toleranceMs = CLOCK_TOLERANCE_MS): boolean {
    return Math.abs(this.sinceLastMs()) > toleranceMs;
  }

  private clockAheadMs(): number {
    return this.clock.nowMs() - performance.now();
  }
}
