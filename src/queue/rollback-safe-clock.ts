import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock.js';

/** How far instances' clocks may differ, and how far they are corrected. */
const CLOCKS_APART_MS = 60_000;
/** There are rarely more concurrent waits. The oldest are forgotten and start again. */
const MAX_KEPT = 10_000;

/**
 * Tells how long something has waited since a stored time. A time further ahead than clocks may differ was stored before the clock was set
 * back; how long ago is unknown, so the wait counts from this process's first query of that time.
 */
@Injectable()
export class RollbackSafeClock {
  /** The first query of each such time. */
  private readonly seenAtMs = new Map<number, number>();

  constructor(private readonly clock: Clock) {}

  nowMs(): number {
    return this.clock.nowMs();
  }

  /** @returns milliseconds since then; below 0 only by as much as clocks may differ */
  sinceMs(timeMs: number): number {
    const nowMs = this.clock.nowMs();
    return nowMs - (timeMs > nowMs + CLOCKS_APART_MS ? this.firstSeenMs(timeMs, nowMs) : timeMs);
  }

  private firstSeenMs(timeMs: number, nowMs: number): number {
    const seenMs = this.seenAtMs.get(timeMs);
    if (seenMs !== undefined && seenMs <= nowMs) return seenMs; // otherwise the clock was set back again
    if (this.seenAtMs.size >= MAX_KEPT) this.seenAtMs.delete(this.seenAtMs.keys().next().value!);
    this.seenAtMs.set(timeMs, nowMs);
    return nowMs;
  }
}
