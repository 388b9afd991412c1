import { Clock } from '../common/clock.js';
import { RollbackSafeClock } from './rollback-safe-clock.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

class SetClock extends Clock {
  ms = 100 * DAY_MS;

  override nowMs(): number {
    return this.ms;
  }
}

describe('The time since a row was written', () => {
  const clock = new SetClock();
  let waits: RollbackSafeClock;

  beforeEach(() => {
    waits = new RollbackSafeClock(clock);
  });

  it('is what the clock tells, even where the clock of another instance is a little ahead', () => {
    expect(waits.sinceMs(clock.ms - MINUTE_MS)).toBe(MINUTE_MS);
    expect(waits.sinceMs(clock.ms + 2_000)).toBe(-2_000);
  });

  it('begins when it is first asked for where the clock was set back since, and goes on from there', () => {
    const writtenMs = clock.ms;
    clock.ms -= DAY_MS;
    expect(waits.sinceMs(writtenMs)).toBe(0);
    clock.ms += 10 * MINUTE_MS;
    expect(waits.sinceMs(writtenMs)).toBe(10 * MINUTE_MS);
    expect(waits.sinceMs(writtenMs + 1)).toBe(0);
  });

  it('begins once more where the clock was set back again', () => {
    const writtenMs = clock.ms;
    clock.ms -= DAY_MS;
    waits.sinceMs(writtenMs);
    clock.ms -= DAY_MS;
    expect(waits.sinceMs(writtenMs)).toBe(0);
    clock.ms += MINUTE_MS;
    expect(waits.sinceMs(writtenMs)).toBe(MINUTE_MS);
  });
});
