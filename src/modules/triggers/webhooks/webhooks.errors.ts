import { DomainError } from '../../../common/domain-error.js';

export function routeNotFound(): DomainError {
  return new DomainError('not_found', 'route_not_found', 'There is nothing under this path.');
}

export function methodNotAllowed(method: string, allow: readonly string[]): DomainError {
  const message = `${method} is not possible here, only ${allow.join(', ')}.`;
  return new DomainError('method_not_allowed', 'method_not_allowed', message, { extensions: { allow } });
}

export function tokenMissing(): DomainError {
  return new DomainError('unauthenticated', 'token_required', 'Send the header "Authorization: Bearer <token>".');
}

export function tokenWrong(): DomainError {
  return new DomainError('unauthenticated', 'invalid_token', 'The bearer token is wrong.');
}

export function signatureMissing(header: string): DomainError {
  const message = `There is no signature that this webhook understands: see the header ${header}.`;
  return new DomainError('unauthenticated', 'signature_required', message);
}

export function timestampMissing(place: string): DomainError {
  const message = `There is no time that was signed: see ${place}.`;
  return new DomainError('unauthenticated', 'signature_required', message);
}

export function signatureExpired(): DomainError {
  const message = 'The request was signed more than 300 s ago, or will be: check the clocks.';
  return new DomainError('unauthenticated', 'signature_expired', message);
}

export function secretMissing(header: string): DomainError {
  return new DomainError('unauthenticated', 'token_required', `Send the secret in the header ${header}.`);
}

export function secretWrong(header: string): DomainError {
  return new DomainError('unauthenticated', 'invalid_token', `The secret in the header ${header} is wrong.`);
}

export function signatureWrong(): DomainError {
  return new DomainError('unauthenticated', 'invalid_signature', 'The signature does not match the body.');
}

export function contentTypeMissing(): DomainError {
  return new DomainError('unsupported_media', 'unsupported_content_type', 'Content-Type must be application/json.');
}

export function unknownAgent(): DomainError {
  return new DomainError('not_found', 'agent_not_found', 'This process has no agent with this name.');
}
