const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Before each attempt after the first; when they run out, the delivery has failed. */
const PAUSES_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];
/** Share of a pause, so that deliveries that failed together do not return together. */
const JITTER = 0.1;
const LONGEST_ASKED_MS = HOUR_MS;

/**
 * Milliseconds until the next attempt; null if there is none.
 * @param attempts failed ones, from 1
 * @param askedMs what the receiver asked for; honoured up to an hour
 */
export function pauseAfter(attempts: number, askedMs: number | null, random = Math.random): number | null {
  const pauseMs = PAUSES_MS[attempts - 1];
  if (pauseMs === undefined) return null;
  const ownMs = pauseMs * (1 + JITTER * random());
  return Math.ceil(Math.max(ownMs, Math.min(askedMs ?? 0, LONGEST_ASKED_MS)));
}

/** A `Retry-After` (seconds or a date) in milliseconds from now; null for none. */
export function askedPause(header: string | null, nowMs: number): number | null {
  if (header === null) return null;
  if (/^\s*\d{1,9}\s*$/.test(header)) return Number(header) * SECOND_MS;
  const atMs = Date.parse(header);
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs);
}
