import { setImmediate } from 'node:timers/promises';

/** The longest time in milliseconds that other requests wait. */
const SLICE_MS = 20;

/** Cuts long work into slices and lets other requests run in between. */
export class TimeSlices {
  private endMs = performance.now() + SLICE_MS;

  /** Whether the slice is used up, for callers whose own work costs less than a promise. */
  get isDue(): boolean {
    return performance.now() >= this.endMs;
  }

  /** Lets others run when the slice is used up. Call it about every millisecond. */
  async pauseIfDue(): Promise<void> {
    if (!this.isDue) return;
    await setImmediate();
    this.endMs = performance.now() + SLICE_MS;
  }
}
