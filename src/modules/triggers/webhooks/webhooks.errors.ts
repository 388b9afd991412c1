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
  const message = `Send the header ${header}: sha256=<hex>, the HMAC-SHA256 of the body; hex or base64 alone will do.`;
  return new DomainError('unauthenticated', 'signature_required', message);
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
