import { barsOf, chartHours, HOUR_MS, startOfDay, sumsOfToday, sumsSince, type SumsOfHour } from './hours.js';

const NOW = new Date(2026, 10, 20, 9, 30).getTime();

const hour = (hoursAgo: number, sums: Partial<SumsOfHour> = {}): SumsOfHour => ({
  key: new Date(NOW - 30 * 60_000 - hoursAgo * HOUR_MS).toISOString(),
  runs: 0,
  completed: 0,
  failed: 0,
  tokens: 0,
  cost_usd: 0,
  ...sums,
});

describe('The hours of the strip', () => {
  it('reach back to the last midnight and over 24 hours', () => {
    expect(Date.parse(sumsSince(NOW))).toBe(NOW - 23 * HOUR_MS);
    const late = new Date(2026, 10, 20, 23, 59).getTime();
    expect(Date.parse(sumsSince(late))).toBe(startOfDay(late));
  });

  it('add up to today without yesterday', () => {
    const items = [
      hour(10, { cost_usd: 5, runs: 5 }),
      hour(9, { cost_usd: 1, runs: 1 }),
      hour(0, { cost_usd: 2, runs: 1 }),
    ];
    expect(sumsOfToday(items, NOW)).toMatchObject({ cost_usd: 3, runs: 2 });
  });

  it('show 24 of them', () => {
    const items = Array.from({ length: 26 }, (_, index) => hour(25 - index));
    expect(chartHours(items)).toEqual(items.slice(2));
  });

  it('are as high as their part of the highest, and flat where nothing ran', () => {
    expect(barsOf([hour(1, { runs: 4, failed: 1, cost_usd: 0.5 }), hour(0, { runs: 2, cost_usd: 1 })])).toEqual([
      { runs: 1, failed: 0.25, cost: 0.5 },
      { runs: 0.5, failed: 0, cost: 1 },
    ]);
    expect(barsOf([hour(0)])).toEqual([{ runs: 0, failed: 0, cost: 0 }]);
  });
});
