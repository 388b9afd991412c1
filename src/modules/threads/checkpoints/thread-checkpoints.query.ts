export const HISTORY_MODES = ['full', 'new', 'none'] as const;

/** The shown part of the two lists: all, the additions since the run's previous step, or nothing. */
export type HistoryMode = (typeof HISTORY_MODES)[number];

export interface CheckpointsQuery {
  threadId: string;
  history: HistoryMode;
  traceId: string | null;
  agentId: string | null;
  /** Null for all. */
  limit: number | null;
  cursor: string | null;
}
