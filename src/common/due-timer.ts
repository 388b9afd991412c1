import type { Clock } from './clock.js';

/** The longest delay of a timer. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Wakes when something changes by itself, at a known time. */
export class DueTimer {
  onDue: () => void = () => undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly clock: Clock) {}

  /** @param dueMs null for never */
  set(dueMs: number | null): void {
    clearTimeout(this.timer);
    if (dueMs === null) return;
    const delayMs = Math.min(Math.max(0, dueMs - this.clock.nowMs()) + 1, MAX_TIMER_MS);
    this.timer = setTimeout(() => this.onDue(), delayMs).unref();
  }
}
