import { setImmediate } from 'node:timers/promises';

/** For so many milliseconds, other requests wait at most. */
const SLICE_MS = 20;

/** Cuts long work into slices, so that other requests get their turns in between. */
export class TimeSlices {
  private endMs = performance.now() + SLICE_MS;

  /** Lets others have their turn when the slice is used up. Call it about every millisecond. */
  async pauseIfDue(): Promise<void> {
    if (performance.now() < this.endMs) return;
    await setImmediate();
    this.endMs = performance.now() + SLICE_MS;
  }
}
