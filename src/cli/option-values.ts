import { InvalidArgumentError } from 'commander';

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

const LARGEST = 999_999_999;

/** Reads a whole number. @throws InvalidArgumentError for anything else */
export function wholeNumber(
  min: number,
  max = LARGEST,
  rule = `It must be a whole number from ${min} to ${max}.`,
): (text: string) => number {
  return (text) => {
    if (/^\d{1,10}$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text);
    throw new InvalidArgumentError(rule);
  };
}

export const stepNumber = wholeNumber(0, 2_147_483_647, 'A step is a number from 0.');

/** The seconds of `90s`, `15m`, `24h` or `30d`; null for anything else. */
export function durationSeconds(text: string): number | null {
  const [, number, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  return number === undefined ? null : Number(number) * UNIT_SECONDS[unit!]!;
}
