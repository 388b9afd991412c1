import type { IncomingMessage } from 'node:http';
import type { Principal } from '../common/principal.js';
import { DomainError } from '../common/domain-error.js';

/** The port through which the guard learns who sends a request. */
export abstract class Authenticator {
  /**
   * The holder of the bearer token or of the console session; null if it is wrong, expired or revoked. Revocation takes effect at once on
   * every instance. Takes the same time for every wrong token. Returns a plain value if it needs no storage.
   * @throws DomainError `unauthenticated` without token and session; `forbidden`, `invalid` or `unsupported_media` for a session's request
   * that another page may have sent; `unavailable` if the token storage does not answer
   */
  abstract authenticate(request: IncomingMessage): Principal | null | Promise<Principal | null>;

  /**
   * Calls the listener with the id of each revoked token or session as soon as this instance hears of it. Returns an unsubscribe function.
   */
  abstract onRevoked(listener: (id: string) => void): () => void;
}

const BEARER = /^Bearer +([\x21-\x7e]+) *$/i;

/** The token in the header. @throws DomainError `unauthenticated` if there is none */
export function bearerToken(header: string | undefined): string {
  const token = header === undefined ? undefined : BEARER.exec(header)?.[1];
  if (token !== undefined) return token;
  throw new DomainError('unauthenticated', 'token_required', 'Send the header "Authorization: Bearer <token>".');
}
