import { setImmediate } from 'node:timers/promises';

/** For so many milliseconds, other requests wait at most. */
const SLICE_MS = 20;

/** Cuts long work into slices, so that other requests get their turns in between. */
export class TimeSlices {
  private endMs = performance.now() + SLICE_MS;

  /** Whether the slice is used up: for callers to whom a promise each time would cost more than their own work. */
  get isDue(): boolean {
    return performance.now() >= this.endMs;
  }

  /** Lets others have their turn when the slice is used up. Call it about every millisecond. */
  async pauseIfDue(): Promise<void> {
    if (!this.isDue) return;
    await setImmediate();
    this.endMs = performance.now() + SLICE_MS;
  }
}
