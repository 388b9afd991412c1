import type { ApiRequest, ApiResponse } from './api-request.js';
import { goneSignal } from './gone-signal.js';

/** A request whose answer waits for something. */
export interface HeldRequest {
  /** Makes a signal that aborts when nobody waits for the answer any more. */
  gone: () => AbortSignal;
  /** Whether its token is still good: it may have been revoked, or have expired, during the wait. */
  isStillAdmitted: () => Promise<boolean>;
}

export function heldRequest(response: ApiResponse): HeldRequest {
  const { isStillAdmitted } = response.req as ApiRequest;
  return { gone: () => goneSignal(response), isStillAdmitted: isStillAdmitted ?? (async () => true) };
}
