import { DomainError } from '../../common/domain-error.js';

export const MAX_NOTICES = 50;

export function noticeNotFound(): DomainError {
  return new DomainError('not_found', 'notice_not_found', 'There is no such notice.');
}

export function deliveryNotFound(): DomainError {
  return new DomainError('not_found', 'delivery_not_found', 'The notice has no such delivery.');
}

export function tooManyNotices(): DomainError {
  return new DomainError(
    'conflict',
    'too_many_notices',
    `There may be at most ${MAX_NOTICES} notices. Delete one first.`,
  );
}

/** Does not say which chats exist. */
export function chatNotAllowed(): DomainError {
  const message =
    'chat: the channel must be enabled and verified, and somebody must have written to the bot in this chat.';
  return new DomainError('forbidden', 'chat_not_allowed', message);
}

export function noSecret(): DomainError {
  return new DomainError('conflict', 'no_secret', 'A notice for a chat has no secret.');
}

/** @param detail never repeats the URL, which may hold a secret */
export function urlNotAllowed(detail: string): DomainError {
  return new DomainError('invalid', 'url_not_allowed', `url: ${detail}`, { errors: [{ path: 'url', detail }] });
}

export function notRetryable(status: string): DomainError {
  return new DomainError(
    'conflict',
    'not_retryable',
    `Only failed and dropped deliveries can be retried; this one is ${status}.`,
  );
}
