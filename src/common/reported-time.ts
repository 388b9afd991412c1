const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?$/;
const HAS_ZONE = /(Z|[+-]\d\d:?\d\d)$/;
/** Smaller numbers are seconds since 1970 (until the year 5138), larger ones milliseconds (from 1973). */
const FIRST_MS = 1e11;
const AFTER_LAST_MS = 1e14;

/**
 * Milliseconds since 1970 of an ISO 8601 time (UTC without a zone, as in Python's `isoformat()`), or of a number of seconds or
 * milliseconds. Null for anything else.
 */
export function timeMs(value: unknown): number | null {
  if (typeof value === 'number') {
    if (!(value >= 0 && value < AFTER_LAST_MS)) return null;
    return Math.floor(value < FIRST_MS ? value * 1000 : value);
  }
  if (typeof value !== 'string' || !ISO_TIME.test(value) || !isRealDay(value)) return null;
  const ms = Date.parse(HAS_ZONE.test(value.slice(10)) ? value : `${value}Z`);
  return Number.isFinite(ms) ? ms : null;
}

/** Date.parse reads 30 February as 2 March. */
function isRealDay(time: string): boolean {
  const day = time.slice(0, 10);
  const parsed = Date.parse(`${day}T00:00:00Z`);
  return Number.isFinite(parsed) && new Date(parsed).toISOString().startsWith(day);
}
