import { DomainError } from '../../common/domain-error.js';

/** The caller disconnected before the body was complete: nobody is left to respond to. */
export class ClientGone extends Error {
  constructor() {
    super('The client closed the connection before its request was complete.');
    this.name = 'ClientGone';
  }
}

export function bodyTooLarge(limitBytes: number): DomainError {
  return new DomainError(
    'too_large',
    'body_too_large',
    `The body is larger than ${limitBytes} bytes, decompressed or not.`,
  );
}

export function bodyTooSlow(): DomainError {
  return new DomainError('timed_out', 'request_timeout', 'The request took too long to arrive.');
}

export function overloaded(): DomainError {
  return new DomainError('unavailable', 'overloaded', 'Too many large requests are in progress; try again shortly.', {
    retryAfterSeconds: 1,
  });
}

export function unsupportedMedia(code: string, message: string): DomainError {
  return new DomainError('unsupported_media', code, message);
}

export function invalidBody(code: string, message: string): DomainError {
  return new DomainError('invalid', code, message, { errors: [{ path: 'body', detail: message }] });
}
