import type { Clock } from './clock.js';

/** Corrections of a clock are usually smaller, and so are the differences between the clocks of instances. */
export const CLOCK_TOLERANCE_MS = 5_000;

/**
 * Compares a clock, which somebody may set, with the time that has passed, which nobody can. Sleep of the machine looks like a clock
 * that was set forward: the measured time stands still meanwhile.
 */
export class ClockJumps {
  private aheadMs: number;

  constructor(private readonly clock: Pick<Clock, 'nowMs'>) {
    this.aheadMs = this.clockAheadMs();
  }

  /** By how many milliseconds somebody set the clock since the last call, or since the beginning; below 0 for back. */
  sinceLastMs(): number {
    const beforeMs = this.aheadMs;
    this.aheadMs = this.clockAheadMs();
    return this.aheadMs - beforeMs;
  }

  /** Whether somebody set it, either way, since the last call. Then do nothing that cannot be undone. */
  hasJumped(toleranceMs = CLOCK_TOLERANCE_MS): boolean {
    return Math.abs(this.sinceLastMs()) > toleranceMs;
  }

  private clockAheadMs(): number {
    return this.clock.nowMs() - performance.now();
  }
}
