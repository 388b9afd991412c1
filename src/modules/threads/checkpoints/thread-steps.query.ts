export interface StepsQuery {
  threadId: string;
  traceId: string | null;
  /** Null for all. */
  limit: number | null;
  cursor: string | null;
}

export interface MessagesQuery {
  threadId: string;
  /** Ranges of places. */
  history: string;
  historyMeta: string;
}
