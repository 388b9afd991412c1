import { hasNewWaits, hasReminders } from './waits.js';

const waits = (keys: string[], total = keys.length, reminded = keys.map(() => 0)) => ({ total, keys, reminded });

describe('what begins to wait between two looks', () => {
  it('is new also where as much was decided meanwhile', () => {
    expect(hasNewWaits(waits(['a', 'b']), waits(['b', 'c']))).toBe(true);
    expect(hasNewWaits(waits(['a', 'b', 'c']), waits(['d']))).toBe(true);
    expect(hasNewWaits(waits(['a']), waits(['a', 'b']))).toBe(true);
  });

  it('is nothing where some were decided, or nothing happened', () => {
    expect(hasNewWaits(waits(['a', 'b']), waits(['b']))).toBe(false);
    expect(hasNewWaits(waits(['a']), waits(['a']))).toBe(false);
    expect(hasNewWaits(waits(['a']), waits([]))).toBe(false);
  });

  it('is judged by the count where more wait than are known', () => {
    expect(hasNewWaits(waits(['a', 'b'], 4), waits(['b', 'c'], 3))).toBe(false);
    expect(hasNewWaits(waits(['a', 'b'], 4), waits(['a', 'b'], 5))).toBe(true);
  });
});

it('Reminders are of what waited before, and told once', () => {
  const [none, one] = [waits(['a', 'b']), waits(['b', 'c'], 2, [1, 1])];
  expect([hasReminders(none, one), hasReminders(one, one), hasReminders(one, none)]).toEqual([true, false, false]);
  expect(hasReminders(none, waits(['a', 'c'], 2, [0, 1]))).toBe(false);
});
