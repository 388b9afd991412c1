import { DomainError } from '../../../common/domain-error.js';
import type { SessionScope } from '../../../common/principal.js';

export function scopeAbove(scope: SessionScope, own: string): DomainError {
  const message = `A token of scope ${own} may not open the console with scope ${scope}. Ask for its own scope or a lower one, or use a token of scope ${scope}.`;
  return new DomainError('forbidden', 'wrong_scope', message);
}

export function madeInSession(): DomainError {
  const message = 'A console session cannot create codes. Use `waystation open`, or a bearer token.';
  return new DomainError('forbidden', 'bearer_token_required', message);
}

/** The same for every reason: a guesser must not learn which codes existed. */
export function invalidCode(): DomainError {
  const message = 'The code is wrong, already used or expired. Get a new one with `waystation open`.';
  return new DomainError('unauthenticated', 'invalid_code', message);
}

export function tooManyCodes(retryAfterSeconds: number): DomainError {
  const message = 'Too many wrong codes came from this address.';
  return new DomainError('rate_limited', 'too_many_codes', message, { retryAfterSeconds });
}

export function noSession(): DomainError {
  const message = 'This request has a bearer token; it does not come from a console session.';
  return new DomainError('not_found', 'no_session', message);
}

export function unknownSession(): DomainError {
  return new DomainError('not_found', 'session_not_found', 'There is no session with this id.');
}

export function keyRequired(): DomainError {
  const message = 'The cookie alone is not enough: the page sends its key in the header X-Waystation-Console.';
  return new DomainError('unauthenticated', 'session_key_required', message);
}

export function originRequired(): DomainError {
  return new DomainError(
    'forbidden',
    'origin_required',
    'Only pages of this server can sign in, and they send their Origin.',
  );
}

export function foreignOrigin(): DomainError {
  const message =
    "The request comes from a page of another origin. Behind a proxy, set WAYSTATION_PUBLIC_URL to this server's own.";
  return new DomainError('forbidden', 'origin_not_allowed', message);
}
