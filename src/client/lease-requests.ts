import { objectOf } from '../common/json-fields.js';
import { parsedJson } from '../common/parsed-json.js';
import { errorCode } from '../common/error-code.js';
import type { ApiResponse } from './api-connection.js';

/** What the API says to the claim of a lease. */
export type LeaseResponse =
  | { kind: 'held'; fence: number; expiresAtMs: number }
  /** Somebody else holds it. */
  | { kind: 'busy'; holder: string; expiresAtMs: number }
  /** The claim names a fence, and somebody else has had the run since. */
  | { kind: 'stale' }
  /** The same claim may succeed later, and may have succeeded now. */
  | { kind: 'later'; status: number }
  /** It never will: the token may not, or this server has no leases. */
  | { kind: 'refused'; status: number; detail: string };

/** These never reached a server. */
const UNSENT = [
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'ENOENT'],
  'UND_ERR_CONNECT_TIMEOUT',
];
const PASSING = [408, 425, 429];

export function leasePath(threadId: string, traceId: string): string {
  const [thread, trace] = [threadId, traceId].map((id) => encodeURIComponent(id));
  return `/v1/runners/threads/${thread}/runs/${trace}/lease`;
}

export function readLeaseResponse({ status, text }: ApiResponse): LeaseResponse {
  const { fence, holder, expires_at, code, detail } = objectOf(parsedJson(text)) ?? {};
  const expiresAtMs = Date.parse(String(expires_at));
  if ((status === 200 || status === 201) && typeof fence === 'number') return { kind: 'held', fence, expiresAtMs };
  if (status === 409 && code === 'lease_held') return { kind: 'busy', holder: String(holder), expiresAtMs };
  if (status === 409 && code === 'stale_fence') return { kind: 'stale' };
  if (status >= 500 || PASSING.includes(status)) return { kind: 'later', status };
  return { kind: 'refused', status, detail: typeof detail === 'string' ? detail : `status ${status}` };
}

/**
 * What a renewal names as its fence: one that is not the current one. So it gets the lease that the holder has, and never a new one where
 * the run was somebody else's meanwhile, or is gone.
 */
export function renewalFence(fence: number): number {
  return fence - 1;
}

/** Whether a request surely did not reach a server. @param error of `ApiConnection.send` */
export function isUnsent(error: unknown): boolean {
  const { name, cause } = (error ?? {}) as { name?: unknown; cause?: unknown };
  if (name === 'TimeoutError' || name === 'AbortError') return false;
  const code = errorCode(cause);
  // Without a code `fetch` itself has refused the address.
  return code === null || UNSENT.includes(code);
}

/** Another process holds the lease of the run. */
export class LeaseHeldError extends Error {
  constructor(
    readonly holder: string,
    /** Until when, unless it is renewed. */
    readonly expiresAt: Date,
  ) {
    super(`${holder} holds the lease of the run until ${expiresAt.toISOString()}`);
    this.name = 'LeaseHeldError';
  }
}
