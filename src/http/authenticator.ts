import type { Principal } from '../common/principal.js';

/** The port through which the bearer guard learns who holds a token. */
export abstract class Authenticator {
  /**
   * The holder of the token, or null when it is wrong, expired or revoked. Revocation counts at once on every instance.
   * Takes the same time for every wrong token. Answers without a promise where no storage is asked.
   * @throws DomainError `unavailable` when the storage that knows the tokens does not answer.
   */
  abstract authenticate(token: string): Principal | null | Promise<Principal | null>;
}
