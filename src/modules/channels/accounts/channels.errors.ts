import { DomainError } from '../../../common/domain-error.js';
import type { PlatformError } from '../platforms/channel-adapter.js';

export function channelNotFound(): DomainError {
  return new DomainError('not_found', 'channel_not_found', 'There is no channel with this id.');
}

export function identityTaken(): DomainError {
  return new DomainError('conflict', 'account_taken', 'This bot or number already belongs to another channel.');
}

/** The config was sealed with another machine secret. */
export function configUnreadable(): DomainError {
  return new DomainError(
    'conflict',
    'config_unreadable',
    'The config of this channel was stored under another machine secret. Send it again with PUT /v1/channels/{id}/config.',
  );
}

export function agentBoundAlready(): DomainError {
  return new DomainError('conflict', 'agent_bound', 'This agent is already bound to the channel.');
}

export function commandTaken(command: string): DomainError {
  return new DomainError(
    'conflict',
    'command_taken',
    `Another agent of the channel already has the command ${command}.`,
  );
}

export function bindingNotFound(): DomainError {
  return new DomainError('not_found', 'binding_not_found', 'No agent with this name is bound to the channel.');
}

export function wrongCode(): DomainError {
  const detail = 'is not the pending verification code, or has expired';
  return new DomainError('invalid', 'wrong_code', `code: ${detail}`, { errors: [{ path: 'code', detail }] });
}

export function codeLocked(): DomainError {
  return new DomainError(
    'rate_limited',
    'code_locked',
    'Too many wrong attempts. Create a new code with POST /v1/channels/{id}/verification-code.',
  );
}

export function channelPolls(): DomainError {
  return new DomainError('conflict', 'channel_polls', 'The transport of this channel is polling: it needs no webhook.');
}

/** Another setup began while this one waited for the platform, so it is not known whose secret counts. */
export function setupOvertaken(): DomainError {
  return new DomainError(
    'conflict',
    'setup_overtaken',
    'Another setup of this channel ran at the same time; run it again.',
  );
}

/** The platform's words reach the caller: adapters keep secrets out of them. */
export function platformRefused(error: PlatformError): DomainError {
  const retryAfterSeconds = error.retryAfterMs === null ? undefined : error.retryAfterMs / 1000;
  return new DomainError('upstream', 'platform_refused', error.message, { cause: error, retryAfterSeconds });
}

export function unknownPlatform(): DomainError {
  return new DomainError('not_found', 'unknown_platform', 'There is no receiver for this platform.');
}

export function unproven(): DomainError {
  return new DomainError('unauthenticated', 'unproven', 'The request does not prove that it comes from the platform.');
}

export function sentByPage(): DomainError {
  return new DomainError('forbidden', 'origin_not_allowed', 'Only platforms may send messages here, not web pages.');
}

export function handshakeRefused(): DomainError {
  return new DomainError('forbidden', 'handshake_refused', 'No channel has this verify token.');
}

export function tooManyUnproven(retryAfterSeconds: number): DomainError {
  return new DomainError('rate_limited', 'too_many_unproven', 'Too many requests without proof from this address.', {
    retryAfterSeconds,
  });
}

export function inboxFull(): DomainError {
  return new DomainError('unavailable', 'queue_full', 'Too much is waiting to be written.', { retryAfterSeconds: 1 });
}
