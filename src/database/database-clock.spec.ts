import { DatabaseClock } from './database-clock.js';

const HOUR_MS = 3_600_000;
/** The time, as told by a reader with a clock that is this far ahead. */
const reader = (aheadMs: () => number) => ({
  query: <T extends object>() =>
    Promise.resolve([{ now: String(Math.floor(Date.now() + aheadMs())) }] as unknown as T[]),
});

describe('The clock of the database', () => {
  it('is that of the machine until a database is followed', () => {
    expect(Math.abs(new DatabaseClock().nowMs() - Date.now())).toBeLessThan(1000);
  });

  it('is followed, whatever the machine says', async () => {
    const clock = new DatabaseClock();
    const differenceMs = await clock.follow(reader(() => HOUR_MS));
    clock.stop();
    expect(Math.abs(differenceMs + HOUR_MS)).toBeLessThan(1000);
    const realNow = Date.now;
    const before = clock.nowMs();
    Date.now = () => realNow() + 24 * HOUR_MS;
    const after = clock.nowMs();
    Date.now = realNow;
    expect(Number.isInteger(after)).toBe(true);
    expect(after - before).toBeGreaterThanOrEqual(0);
    expect(after - before).toBeLessThan(1000);
  });

  it('is followed when it is set', async () => {
    const clock = new DatabaseClock();
    let aheadMs = 0;
    const followed = reader(() => aheadMs);
    await clock.follow(followed);
    clock.stop();
    aheadMs = -HOUR_MS;
    await clock.follow(followed);
    clock.stop();
    expect(Math.abs(clock.nowMs() - (Date.now() - HOUR_MS))).toBeLessThan(1000);
  });

  it('cannot be had from a database that does not answer', async () => {
    const away = { query: () => Promise.reject(new Error('away')) };
    await expect(new DatabaseClock().follow(away)).rejects.toThrow('away');
  });
});
