import { Backoff } from './backoff.js';

const LIMITS = { firstMs: 1_000, longestMs: 30_000, hasJitter: true };

describe('The pause before something is tried again', () => {
  it('grows up to the longest pause, in whole milliseconds', () => {
    const backoff = new Backoff(LIMITS, () => 0.123456789);
    const pauses = Array.from({ length: 12 }, (_, i) => backoff.after(i + 1));
    expect(pauses.every(Number.isInteger)).toBe(true);
    expect([...pauses].sort((a, b) => a - b)).toEqual(pauses);
    expect(new Backoff(LIMITS, () => 1).after(50)).toBe(30_000);
    expect(new Backoff(LIMITS, () => 1).after(5_000)).toBe(30_000);
  });

  it('is what the other side asked for, but never longer than the longest pause', () => {
    const backoff = new Backoff(LIMITS, () => 0);
    expect(backoff.after(1, 7_000)).toBe(7_000);
    expect(backoff.after(1, 3_600_000)).toBe(30_000);
  });

  it('is between half and all of its length with jitter, and exact without', () => {
    expect(new Backoff(LIMITS, () => 0).after(3)).toBe(2_000);
    expect(new Backoff(LIMITS, () => 1).after(3)).toBe(4_000);
    expect(new Backoff({ ...LIMITS, hasJitter: false }, () => 0).after(3)).toBe(4_000);
  });

  it('counts failures in a row, and begins again after a success', () => {
    const backoff = new Backoff({ ...LIMITS, hasJitter: false });
    expect([backoff.next(), backoff.next(), backoff.next(5_000)]).toEqual([1_000, 2_000, 5_000]);
    backoff.reset();
    expect(backoff.next()).toBe(1_000);
  });
});
