import { Clock } from '../../src/common/clock.js';

/** The machine's clock with an offset in milliseconds. */
export class MovableClock extends Clock {
  aheadMs = 0;

  override nowMs(): number {
    return Date.now() + this.aheadMs;
  }
}
