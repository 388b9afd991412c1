/** What a token may be used for. `admin` includes the others. */
export const SCOPES = ['runner', 'approver', 'reader', 'metrics', 'admin'] as const;

export type Scope = (typeof SCOPES)[number];

/** The run that a token is for: its holder reports for it and the runs below it, and for nothing else. */
export interface RunOfToken {
  readonly threadId: string;
  readonly traceId: string;
  /** What the holder sends without a fence has this one. */
  readonly fence: number;
}

/** Who sends a request. */
export interface Principal {
  readonly scope: Scope;
  /** Id of the token; null for the machine secret. */
  readonly tokenId: string | null;
  /** The only agents that the caller may speak for; null means any. */
  readonly agentIds: readonly string[] | null;
  /** The only run, with those below it, that the caller may report for; null means any. */
  readonly run: RunOfToken | null;
  /** For people to read: the token's name, or "machine secret". */
  readonly name: string;
}
