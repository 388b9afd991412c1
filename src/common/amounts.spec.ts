import { addAmount } from './amounts.js';

const sumOf = (...amounts: number[]) => amounts.reduce(addAmount, 0);

describe('A sum of amounts', () => {
  it.each([
    [[0.1, 0.2], 0.3],
    [[0.7, 0.1], 0.8],
    [[100.3, -100.2], 0.1],
    [[0.1, 0.2, -0.3], 0],
    [[1_234_567.89, 0.01], 1_234_567.9],
    [Array.from({ length: 50 }, () => 4e-10), 2e-8],
    [Array.from({ length: 10 }, () => 1e-200), 1e-199],
    [[1, 4e-10], 1.0000000004],
  ])('is what people would write down: %j', (amounts, sum) => {
    expect(sumOf(...amounts)).toBeCloseTo(sum, 210);
  });

  it('is never negative, and stops where whole numbers are no longer exact', () => {
    expect(sumOf(0.1, -0.2)).toBe(0);
    expect(sumOf(1e300, 1e300)).toBe(Number.MAX_SAFE_INTEGER);
    expect(sumOf(Infinity)).toBe(Number.MAX_SAFE_INTEGER);
    expect(addAmount(Number.NaN, 1)).toBe(Number.MAX_SAFE_INTEGER);
    expect(sumOf(Number.MAX_SAFE_INTEGER, 5)).toBe(Number.MAX_SAFE_INTEGER);
  });

  it('keeps whole numbers exact', () => {
    expect(sumOf(4_503_599_627_370_497, 1)).toBe(4_503_599_627_370_498);
  });
});
