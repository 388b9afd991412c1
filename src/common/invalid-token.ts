import { DomainError } from './domain-error.js';

export function invalidToken(): DomainError {
  return new DomainError('unauthenticated', 'invalid_token', 'The bearer token is wrong, expired or revoked.');
}
