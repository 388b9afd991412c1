export interface FencedLease {
  fence: number;
  /** Released by its holder, not merely expired. */
  isReleased: boolean;
}

/** The fence of an event or a claim. */
export interface NamedFence {
  fence: number | null;
  /** It comes from the token, not the event, and says nothing about runs that were never leased. */
  isImplied?: boolean;
}

/**
 * Whether an event comes from a process that may not drive the run. The nearest unreleased lease decides. If all are released, events
 * without a fence count, and so does the last fence: its holder may still be delivering.
 * @param leases of the run and its callers, the nearest first
 */
export function isStale({ fence, isImplied = false }: NamedFence, leases: readonly FencedLease[]): boolean {
  const held = leases.find(({ isReleased }) => !isReleased);
  if (held) return fence !== held.fence;
  if (fence === null) return false;
  const [last] = leases;
  return last ? fence !== last.fence : !isImplied;
}
