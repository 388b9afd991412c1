import { DomainError } from '../../../common/domain-error.js';
import type { PlatformError } from '../platforms/channel-adapter.js';

export function attachmentNotFound(): DomainError {
  return new DomainError('not_found', 'attachment_not_found', 'There is no attachment with this id in the thread.');
}

export function attachmentGone(): DomainError {
  return new DomainError('gone', 'attachment_gone', 'The platform does not have the file any more.');
}

export function attachmentTooLarge(maxBytes: number): DomainError {
  return new DomainError('too_large', 'attachment_too_large', `The file is larger than ${maxBytes} bytes.`);
}

/** Also if the caller may not speak for the chat's agent, so that it learns nothing about other agents' chats. */
export function threadHasNoChat(): DomainError {
  const message = 'The thread is no conversation in a chat of an agent that the token may speak for.';
  return new DomainError('conflict', 'thread_has_no_chat', message);
}

export function fileTooLarge(maxBytes: number): DomainError {
  return new DomainError('too_large', 'file_too_large', `The file is larger than ${maxBytes} bytes.`);
}

export function digestMismatch(): DomainError {
  return new DomainError('unprocessable', 'digest_mismatch', 'The bytes do not have the SHA-256 of the address.');
}

export function attachmentsFull(maxBytes: number): DomainError {
  const message = `The files that wait for chats, with this one, are larger than ${maxBytes} bytes.`;
  return new DomainError('storage_full', 'attachments_full', message);
}

export function transfersFull(): DomainError {
  return new DomainError('unavailable', 'too_many_transfers', 'Too many files are on their way.', {
    retryAfterSeconds: 2,
  });
}

/** Removed while its bytes arrived: it took too long, or its thread was deleted. */
export function uploadGone(): DomainError {
  const message = 'The file was removed while it was sent. Send it again.';
  return new DomainError('unavailable', 'upload_gone', message, { retryAfterSeconds: 2 });
}

/** The platform asks to wait, or cannot be reached. */
export function platformAway(error: PlatformError): DomainError {
  const retryAfterSeconds = Math.ceil((error.retryAfterMs ?? 5_000) / 1000);
  return new DomainError('unavailable', 'platform_unavailable', error.message, { cause: error, retryAfterSeconds });
}
