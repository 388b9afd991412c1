import { objectOf } from '../common/json-fields.js';
import { parsedJson } from '../common/parsed-json.js';
import { errorCode } from '../common/error-code.js';
import type { ApiResponse } from './api-connection.js';

/** The API's response to a claim. */
export type LeaseResponse =
  | { kind: 'held'; fence: number; expiresAtMs: number }
  /** Another process holds it. */
  | { kind: 'busy'; holder: string; expiresAtMs: number }
  /** The named fence is outdated: another process has had the run since. */
  | { kind: 'stale' }
  /** The claim may succeed later, and may have succeeded now. */
  | { kind: 'later'; status: number }
  /** It never will: the token does not permit it, or the server has no leases. `isForeign`: the response may be a proxy's. */
  | { kind: 'refused'; status: number; detail: string; isForeign: boolean };

/** Errors of requests that never reached a server. */
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
  const isForeign = typeof code !== 'string';
  return { kind: 'refused', status, detail: typeof detail === 'string' ? detail : `status ${status}`, isForeign };
}

/**
 * The fence that a renewal names: never the current one. The holder then gets its existing lease, but never a new one if the run was
 * another process's meanwhile, or is gone.
 */
export function renewalFence(fence: number): number {
  return fence - 1;
}

/** Whether a request certainly did not reach a server. @param error of `ApiConnection.send` */
export function isUnsent(error: unknown): boolean {
  const { name, cause } = (error ?? {}) as { name?: unknown; cause?: unknown };
  if (name === 'TimeoutError' || name === 'AbortError') return false;
  const code = errorCode(cause);
  // Without a code, `fetch` itself refused the address.
  return code === null || UNSENT.includes(code);
}

/** Another process holds the lease of the run. */
export class LeaseHeldError extends Error {
  constructor(
    readonly holder: string,
    /** When it expires unless renewed. */
    readonly expiresAt: Date,
  ) {
    super(`${holder} holds the lease of the run until ${expiresAt.toISOString()}`);
    this.name = 'LeaseHeldError';
  }
}
