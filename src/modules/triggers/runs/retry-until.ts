import { setTimeout as sleep } from 'node:timers/promises';
import { API_BACKOFF } from '../../../client/api-connection.js';
import { Backoff } from '../../../common/backoff.js';
import { DomainError } from '../../../common/domain-error.js';

export interface RetryOptions {
  /** Aborting it allows one last attempt. */
  signal: AbortSignal;
  /** Whether the error may pass; if absent, every error may. */
  isPassing?: (error: unknown) => boolean;
  onFailure: (error: unknown) => void;
}

/**
 * Repeats an operation, with pauses, until it succeeds.
 * @throws its error if that is permanent or `signal` has aborted
 */
export async function retryUntil<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { signal, isPassing = () => true, onFailure } = options;
  const backoff = new Backoff(API_BACKOFF);
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || !isPassing(error)) throw error;
      onFailure(error);
      await sleep(backoff.next(), undefined, { signal }).catch(() => undefined);
    }
  }
}

/** Whether the state could not be read or written because of its disk: it is full, locked or does not respond. */
export function isStateFault(error: unknown): boolean {
  return error instanceof DomainError && (error.kind === 'unavailable' || error.kind === 'storage_full');
}
