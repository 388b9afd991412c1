import { startBodyOf, type StartBody } from '../../../common/contract/start-body.js';
import { invalidField } from '../../../common/domain-error.js';
import { idFault } from '../../../common/id-fault.js';
import { parseJsonBody } from '../../../http/body/json-body.js';

const DIGEST = /^[\da-zA-Z]{1,128}$/;

export interface InvokeBody extends StartBody {
  /** The run's id; null to generate one. */
  runId: string | null;
  /** The id of the run to resume; null for a new run. */
  retryOf: string | null;
  /** With `retryOf`: the thread's last change before this retry; null if the server does not say. */
  retrySince: number | null;
  /** The API's digest of the request it passes on; null to ignore the content. */
  requestDigest: string | null;
}

/**
 * Reads the body of `/invoke`, which may have the members `run_id`, `retry_of`, `retry_since`, `request_digest`.
 * @throws DomainError `invalid` as `startBodyOf`, and for an id that is invalid, lacks a thread, or contradicts the other
 */
export function readInvokeBody(raw: Buffer): InvokeBody {
  const body = parseJsonBody(raw);
  const start = startBodyOf(body, raw);
  const { run_id, retry_of, retry_since, request_digest } = body as Record<string, unknown>;
  const runId = readRunId('run_id', run_id);
  const retryOf = readRunId('retry_of', retry_of);
  if ((runId ?? retryOf) !== null && start.threadId === null) {
    throw invalidField('thread_id', 'is missing: a run that has an id has a thread');
  }
  if (runId !== null && retryOf !== null && runId !== retryOf) throw invalidField('run_id', 'must equal retry_of');
  return { ...start, runId, retryOf, retrySince: readPlace(retry_since), requestDigest: readDigest(request_digest) };
}

function readRunId(name: string, id: unknown): string | null {
  if (id === undefined || id === null) return null;
  const fault = typeof id === 'string' ? idFault(id) : 'must be a string';
  if (fault !== null) throw invalidField(name, fault);
  return String(id);
}

function readPlace(value: unknown): number | null {
  if (value === undefined || value === null) return null;
  if (!Number.isSafeInteger(value) || Number(value) < 0) throw invalidField('retry_since', 'must be an integer from 0');
  return Number(value);
}

function readDigest(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' && DIGEST.test(value)) return value;
  throw invalidField('request_digest', 'must be 1 to 128 letters and digits');
}

/** @throws DomainError `invalid` as `startBodyOf`, and for a body that is not JSON */
export function readStartBody(raw: Buffer): StartBody {
  return startBodyOf(parseJsonBody(raw), raw);
}
