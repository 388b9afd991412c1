import type { Clock } from './clock.js';

/** Corrections of a clock are usually smaller, and so are the differences between the clocks of instances. */
export const CLOCK_TOLERANCE_MS = 5_000;

/**
 * Compares the wall clock, which can be set, with monotonic time, which cannot. A sleeping machine looks like a clock set forward, because
 * monotonic time stands still.
 */
export class ClockJumps {
  private aheadMs: number;

  constructor(private readonly clock: Pick<Clock, 'nowMs'>) {
    this.aheadMs = this.clockAheadMs();
  }

  /** Milliseconds by which the clock was set since the last call, or since the start; negative if it was set back. */
  sinceLastMs(): number {
    const beforeMs = this.aheadMs;
    this.aheadMs = this.clockAheadMs();
    return this.aheadMs - beforeMs;
  }

  /** Whether the clock was set, either way, since the last call. If so, do nothing irreversible. */
  hasJumped(toleranceMs = CLOCK_TOLERANCE_MS): boolean {
    return Math.abs(this.sinceLastMs()) > toleranceMs;
  }

  private clockAheadMs(): number {
    return this.clock.nowMs() - performance.now();
  }
}
