import type { Clock } from './clock.js';

/** A clock is corrected by less than that all the time. */
const TOLERANCE_MS = 5_000;

/**
 * Tells whether a clock can be trusted with what cannot be taken back: one that was just set, or stood still while the machine slept,
 * may be ahead by days until it is set right.
 */
export class SteadyTime {
  private aheadMs: number;

  constructor(private readonly clock: Clock) {
    this.aheadMs = this.clockAheadMs();
  }

  /** Whether the clock has gone as fast as time since the question before, or since the beginning. */
  hasAgreed(): boolean {
    const aheadMs = this.clockAheadMs();
    const differenceMs = Math.abs(aheadMs - this.aheadMs);
    this.aheadMs = aheadMs;
    return differenceMs <= TOLERANCE_MS;
  }

  /** Against the time that has passed, which nobody can set. */
  private clockAheadMs(): number {
    return this.clock.nowMs() - performance.now();
  }
}
