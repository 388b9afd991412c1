/** The parts of a thread that a caller asks for. */
export interface ThreadDetailQuery {
  threadId: string;
  /** Log entries of one page; null for all. */
  logsLimit: number | null;
  /** Where the page of log entries begins; null for the beginning. */
  logsCursor: string | null;
  /** Whether the messages of the latest checkpoint are wanted. */
  hasHistory: boolean;
  /** What other modules know of each run and the caller wants, by name. */
  included: readonly string[];
}
