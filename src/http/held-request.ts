import { Admission } from './admission.js';
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
  const admission = new Admission((response.req as ApiRequest).isStillAdmitted);
  return { gone: () => goneSignal(response), isStillAdmitted: () => admission.holds(0) };
}
