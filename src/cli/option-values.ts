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

/**
 * A past time as ISO 8601, from `2h` (ago), `today`, `yesterday` or `2026-11-20` (midnight on this machine), or a time with a zone.
 * @throws InvalidArgumentError for anything else
 */
export function pastTime(text: string): string {
  const seconds = durationSeconds(text);
  const ms = seconds === null ? timeOf(text) : Date.now() - seconds * 1000;
  if (Number.isNaN(ms))
    throw new InvalidArgumentError('Write 30m, 2h, 7d, today, yesterday, 2026-11-20 or 2026-11-20T09:30.');
  return new Date(ms).toISOString();
}

/** A day, or a time without a zone, is local. */
function timeOf(text: string): number {
  const daysAgo = ['today', 'yesterday'].indexOf(text.toLowerCase());
  const now = new Date();
  if (daysAgo >= 0) return new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo).getTime();
  if (!/^\d{4}-\d{2}-\d{2}([T ].*)?$/.test(text)) return Number.NaN;
  return Date.parse(text.length === 10 ? `${text}T00:00` : text);
}

/** The seconds of `90s`, `15m`, `24h` or `30d`; null for anything else. */
export function durationSeconds(text: string): number | null {
  const [, number, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  return number === undefined ? null : Number(number) * UNIT_SECONDS[unit!]!;
}
