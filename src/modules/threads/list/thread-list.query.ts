export const THREAD_SORTS = ['updated_at', 'started_at', 'total_tokens', 'total_cost_usd'] as const;

export type ThreadSort = (typeof THREAD_SORTS)[number];

/** Filters on the thread itself, combined with AND. */
export interface ThreadMatch {
  /** Any of these, each once; empty for every status. */
  statuses: readonly string[];
  /** An agent that took part. */
  agentId: string | null;
  model: string | null;
  /** Part of the id, the model or an agent's id; ASCII letters match in either case. */
  search: string | null;
  /** The only agents, each with its sub-agents, that may have taken part; null for any. */
  seenBy: readonly string[] | null;
}

/** The filters of the list, combined with AND. */
export interface ThreadFilter extends ThreadMatch {
  /** The trace id of one of its runs, and a trace id's prefix; null for any. */
  traceId: string | null;
  traceIdPrefix: string | null;
  /** Bounds of `updated_at`, both inclusive. */
  sinceMs: number | null;
  untilMs: number | null;
  /** True for silent threads only, false for others only; null for all. */
  isSilent: boolean | null;
  /** The same for an effect in doubt, and for a shown run that is in progress or waits for a person. */
  isInDoubt: boolean | null;
  isOpen: boolean | null;
}

/** The filters with what they depend on right now. */
export interface PresentFilter extends ThreadFilter {
  /** Earlier signs of life do not count. */
  silentBeforeMs: number;
  /** All threads with an effect in doubt; empty if the filter does not ask. */
  inDoubt: readonly number[];
}

export interface ThreadOrder {
  sort: ThreadSort;
  isAscending: boolean;
}

/** The sort value and the number of the previous page's last thread. */
export interface ThreadPosition {
  value: number;
  pk: number;
}

export interface ThreadListQuery {
  filter: ThreadFilter;
  order: ThreadOrder;
  limit: number;
  cursor: string | null;
  hasTotal: boolean;
  hasHistory: boolean;
}
