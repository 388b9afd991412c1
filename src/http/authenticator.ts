/** What a token may be used for. `admin` includes the others. */
export const SCOPES = ['runner', 'approver', 'metrics', 'admin'] as const;

export type Scope = (typeof SCOPES)[number];

/** Who sends a request. */
export interface Principal {
  readonly scope: Scope;
  /** Id of the token; null for the machine secret. */
  readonly tokenId: string | null;
  /** The only agents that the caller may speak for; null means any. */
  readonly agentIds: readonly string[] | null;
  /** For people: the token's name, or "machine secret". */
  readonly name: string;
}

/** The port through which the bearer guard learns who holds a token. */
export abstract class Authenticator {
  /**
   * The holder of the token, or null when it is wrong, expired or revoked. Revocation counts at once on every instance.
   * Takes the same time for every wrong token. Answers without a promise where no storage is asked.
   * @throws DomainError `unavailable` when the storage that knows the tokens does not answer.
   */
  abstract authenticate(token: string): Principal | null | Promise<Principal | null>;
}
