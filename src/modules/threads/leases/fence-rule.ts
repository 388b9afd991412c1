/** What the rule needs to know of a lease. */
export interface FencedLease {
  fence: number;
  /** Given back by its holder; one that only ran out is not. */
  isReleased: boolean;
}

/** The fence that comes with an event or a claim. */
export interface NamedFence {
  fence: number | null;
  /** It comes with the token, not with the event: it says nothing of runs that were never leased. */
  isImplied?: boolean;
}

/**
 * Whether an event comes from a process that may not drive the run any more, or never might. The nearest lease that was not given back
 * decides; where all were, what names no fence counts, and so does the fence that was given last: its holder may still deliver.
 * @param leases of the run and of the runs above it, the nearest first
 */
export function isStale({ fence, isImplied = false }: NamedFence, leases: readonly FencedLease[]): boolean {
  const held = leases.find(({ isReleased }) => !isReleased);
  if (held) return fence !== held.fence;
  if (fence === null) return false;
  const [last] = leases;
  return last ? fence !== last.fence : !isImplied;
}
