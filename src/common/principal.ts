/** What a token may be used for. `admin` includes the others. */
export const SCOPES = ['runner', 'approver', 'reader', 'metrics', 'admin'] as const;

export type Scope = (typeof SCOPES)[number];

/** Who sends a request. */
export interface Principal {
  readonly scope: Scope;
  /** Id of the token; null for the machine secret. */
  readonly tokenId: string | null;
  /** The only agents that the caller may speak for; null means any. */
  readonly agentIds: readonly string[] | null;
  /** For people to read: the token's name, or "machine secret". */
  readonly name: string;
}
