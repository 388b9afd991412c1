export const THREAD_SORTS = ['updated_at', 'started_at', 'total_tokens', 'total_cost_usd'] as const;

export type ThreadSort = (typeof THREAD_SORTS)[number];

/** The filters that look at the thread itself; it must pass all of them. */
export interface ThreadMatch {
  /** Any of these, each once; empty for every status. */
  statuses: readonly string[];
  /** An agent that took part. */
  agentId: string | null;
  model: string | null;
  /** Part of the id, the model or the id of an agent; ASCII letters in either case. */
  search: string | null;
  /** The only agents, each with its sub-agents, that may have taken part; null for any. */
  seenBy: readonly string[] | null;
}

/** The filters of the list; a thread must pass all of them. */
export interface ThreadFilter extends ThreadMatch {
  /** The trace id of one of its runs, and what one begins with; null for any. */
  traceId: string | null;
  traceIdPrefix: string | null;
  /** Bounds of `updated_at`, both included. */
  sinceMs: number | null;
  untilMs: number | null;
  /** Whether it must be silent, or must not be; null for either. */
  isSilent: boolean | null;
  /** The same for an effect in doubt. */
  isInDoubt: boolean | null;
}

/** The filters with what they depend on at this moment. */
export interface PresentFilter extends ThreadFilter {
  /** Earlier signals no longer count. */
  silentBeforeMs: number;
  /** All threads with an effect in doubt; empty if the filter does not ask. */
  inDoubt: readonly number[];
}

export interface ThreadOrder {
  sort: ThreadSort;
  isAscending: boolean;
}

/** The sort value and the number of the last thread of the page before. */
export interface ThreadPosition {
  value: number;
  pk: number;
}

/** One page of the thread list. */
export interface ThreadListQuery {
  filter: ThreadFilter;
  order: ThreadOrder;
  limit: number;
  cursor: string | null;
  hasTotal: boolean;
  hasHistory: boolean;
}
