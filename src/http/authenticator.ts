import type { Principal } from '../common/principal.js';

/** The port through which the bearer guard learns who holds a token. */
export abstract class Authenticator {
  /**
   * The holder of the token, or null if it is wrong, expired or revoked. Revocation takes effect at once on every instance.
   * Takes the same time for every wrong token. Returns a plain value if it needs no storage.
   * @throws DomainError `unavailable` when the storage that knows the tokens does not answer.
   */
  abstract authenticate(token: string): Principal | null | Promise<Principal | null>;
}
