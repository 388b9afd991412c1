import { DomainError } from './domain-error.js';

export function invalidToken(): DomainError {
  return new DomainError('unauthenticated', 'invalid_token', 'The bearer token is wrong, expired or revoked.');
}

export function endedSession(): DomainError {
  const message =
    'The session of the console is not known or has ended. Open the console again with `waystation open`.';
  return new DomainError('unauthenticated', 'session_ended', message);
}
