import { DomainError } from '../common/domain-error.js';

const BEARER = /^Bearer +([\x21-\x7e]+) *$/i;

/** The token in the header. @throws DomainError `unauthenticated` where there is none */
export function bearerToken(header: string | undefined): string {
  const token = header === undefined ? undefined : BEARER.exec(header)?.[1];
  if (token !== undefined) return token;
  throw new DomainError('unauthenticated', 'token_required', 'Send the header "Authorization: Bearer <token>".');
}
