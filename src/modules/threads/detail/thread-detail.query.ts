export interface ThreadDetailQuery {
  threadId: string;
  /** Log entries per page; null for all. */
  logsLimit: number | null;
  /** Null for the beginning. */
  logsCursor: string | null;
  hasHistory: boolean;
  /** Names of the supplements that the caller wants. */
  included: readonly string[];
}
