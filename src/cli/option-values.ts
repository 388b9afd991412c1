import { InvalidArgumentError } from 'commander';

/** The last number that a step can have. */
export const MAX_STEP = 2_147_483_647;

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Reads a whole number. @throws InvalidArgumentError for anything else */
export function wholeNumber(min: number, max = 999_999_999): (text: string) => number {
  return (text) => {
    if (/^\d{1,10}$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text);
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}

/** The seconds of `90s`, `15m`, `24h` or `30d`; null for anything else. */
export function durationSeconds(text: string): number | null {
  const [, number, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  return number === undefined ? null : Number(number) * UNIT_SECONDS[unit!]!;
}
