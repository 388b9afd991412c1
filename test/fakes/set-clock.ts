import { Clock } from '../../src/common/clock.js';

/** A clock that stands still until it is set. */
export class SetClock extends Clock {
  constructor(private ms: number) {
    super();
  }

  override nowMs(): number {
    return this.ms;
  }

  /** To an instant in ISO 8601. */
  set(time: string): void {
    this.ms = Date.parse(time);
  }
}
