import { startBodyOf, type StartBody } from '../../../common/contract/start-body.js';
import { invalidField } from '../../../common/domain-error.js';
import { idFault } from '../../../common/id-fault.js';
import { parseJsonBody } from '../../../http/body/json-body.js';

/** A body that takes a run up again. */
export interface RetryBody extends StartBody {
  /** The run's id; null for a new run. */
  retryOf: string | null;
}

/**
 * Reads the body of `/invoke`, which may have the member `retry_of`.
 * @throws DomainError `invalid`, as `readStartBody`
 */
export function readInvokeBody(raw: Buffer): RetryBody {
  const body = parseJsonBody(raw);
  const start = startBodyOf(body, raw);
  const { retry_of: retryOf } = body as { retry_of?: unknown };
  if (retryOf === undefined || retryOf === null) return { ...start, retryOf: null };
  const fault = typeof retryOf === 'string' ? idFault(retryOf) : 'must be a string';
  if (fault !== null) throw invalidField('retry_of', fault);
  if (start.threadId === null) throw invalidField('thread_id', 'is missing: a run is taken up again in its thread');
  return { ...start, retryOf: String(retryOf) };
}

/**
 * Reads the body of a webhook.
 * @throws DomainError `invalid`, as `startBodyOf`, and for a body that is no JSON
 */
export function readStartBody(raw: Buffer): StartBody {
  return startBodyOf(parseJsonBody(raw), raw);
}
