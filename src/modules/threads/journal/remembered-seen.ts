import type { SeenEvent } from '../entities/seen-event.entity.js';

/** Digests of one thread that stay in memory; of a thread that has seen more events, the database is asked. */
const MAX_SEEN = 2_000;

/**
 * All events that a thread has seen, after a commit.
 * @param before all before it; null where they are not known
 */
export function rememberedSeen(before: Set<string> | null, added: readonly SeenEvent[]): Set<string> | null {
  if (before === null || before.size + added.length > MAX_SEEN) return null;
  for (const { digest } of added) before.add(digest);
  return before;
}
