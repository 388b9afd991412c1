import { Clock } from '../../src/common/clock.js';

/** The clock of the machine, so many milliseconds ahead or behind. */
export class MovableClock extends Clock {
  aheadMs = 0;

  override nowMs(): number {
    return Date.now() + this.aheadMs;
  }
}
