/** The highest amount that a report may carry, for money and other fractional amounts. */
export const MAX_AMOUNT = 1e12;

/** Sums stop here: doubles hold whole numbers exactly up to this one. */
const MAX_SUM = Number.MAX_SAFE_INTEGER;

/** Decimal digits that a double holds whatever its size. */
const EXACT_DIGITS = 15;

/** The most decimals that `toFixed` accepts. */
const MAX_DECIMALS = 100;

/**
 * Adds an amount to a sum; a negative amount is subtracted. The result is never negative, stops at 2^53 - 1, and has no binary rounding
 * noise (0.1 + 0.2 is 0.3). Small amounts are never lost.
 */
export function addAmount(sum: number, change: number): number {
  const added = sum + change;
  if (!(added < MAX_SUM)) return MAX_SUM;
  if (added <= 0) return 0;
  const largest = Math.max(sum, Math.abs(change), added);
  const decimals = EXACT_DIGITS - 1 - Math.floor(Math.log10(largest));
  return decimals <= MAX_DECIMALS ? Number(added.toFixed(Math.max(decimals, 0))) : added;
}
