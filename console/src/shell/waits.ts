/** What waits for a person at one look. */
export interface Waits {
  total: number;
  /** Of those that have waited longest; fewer than `total` where very many wait, or nobody wants notifications. */
  keys: string[];
  /** How often people were reminded of each of them, in the same order. */
  reminded: number[];
}

/** Whether something waits that did not wait at the look before; while others were decided, the count alone would not tell. */
export function hasNewWaits(before: Waits, now: Waits): boolean {
  if (now.total > before.total) return true;
  // Where not all were known, an unknown one may have waited before.
  if (before.keys.length < before.total) return false;
  const known = new Set(before.keys);
  return now.keys.some((key) => !known.has(key));
}

/** Whether people were reminded meanwhile of something that waited already. */
export function hasReminders(before: Waits, now: Waits): boolean {
  const known = new Map(before.keys.map((key, at) => [key, before.reminded[at]!]));
  return now.keys.some((key, at) => now.reminded[at]! > (known.get(key) ?? Infinity));
}
