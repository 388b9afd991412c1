import { setImmediate } from 'node:timers/promises';

/** Milliseconds for which other requests are held up at a time. */
const SLICE_MS = 20;

/** Cuts long work into slices, so that other requests have their turns in between. */
export class TimeSlices {
  private endMs = performance.now() + SLICE_MS;

  /** Waits while others have their turn, where the slice is used up. To be asked every millisecond or so. */
  async pauseIfDue(): Promise<void> {
    if (performance.now() < this.endMs) return;
    await setImmediate();
    this.endMs = performance.now() + SLICE_MS;
  }
}
