import { DomainError } from '../../common/domain-error.js';

/** Savers ask for a graph's newest checkpoint before they store its first. */
export function stateNotFound(): DomainError {
  return new DomainError('not_found', 'state_not_found', 'There is no such checkpoint.', { isExpected: true });
}

/** The data was deleted or replaced while being read, so the response cannot be complete. */
export function stateChanged(): DomainError {
  const message = 'Checkpoints changed while they were read; try again.';
  return new DomainError('unavailable', 'state_changed', message, { retryAfterSeconds: 1 });
}

/** A run's token may only change the states of its own thread. */
export function notOfTokensThread(): DomainError {
  const message =
    'The token may only change the states of its own thread. For others, use a token without `run` from: waystation token create --scope runner';
  return new DomainError('forbidden', 'run_not_allowed', message);
}

/** @param channels whose values were sent as digests only, and are not stored */
export function unknownDigest(channels: readonly string[]): DomainError {
  const message = 'The thread has no value with this digest: send the data.';
  const errors = channels
    .slice(0, 20)
    .map((channel) => ({ path: `values.${channel}.digest`, detail: 'is not stored' }));
  return new DomainError('conflict', 'unknown_digest', message, { errors, extensions: { channels } });
}
