/** A snapshot of what waits for a person. */
export interface Waits {
  total: number;
  /** The longest waiting ones; fewer than `total` if very many wait, or nobody wants notifications. */
  keys: string[];
  /** The number of reminders of each of them, in the same order. */
  reminded: number[];
}

/** Whether something newly waits; the count alone would miss it if others were decided meanwhile. */
export function hasNewWaits(before: Waits, now: Waits): boolean {
  if (now.total > before.total) return true;
  // If not all were known, an unknown one may have waited before.
  if (before.keys.length < before.total) return false;
  const known = new Set(before.keys);
  return now.keys.some((key) => !known.has(key));
}

/** Whether people were reminded of something that waited before. */
export function hasReminders(before: Waits, now: Waits): boolean {
  const known = new Map(before.keys.map((key, at) => [key, before.reminded[at]!]));
  return now.keys.some((key, at) => now.reminded[at]! > (known.get(key) ?? Infinity));
}
