import { TokenRecheck } from './token-recheck.js';
import type { LongPoll } from '../common/long-poll.js';
import type { ApiRequest, ApiResponse } from './api-request.js';
import { goneSignal } from './gone-signal.js';

export function longPoll(response: ApiResponse): LongPoll {
  const recheck = new TokenRecheck((response.req as ApiRequest).isStillAdmitted);
  return { gone: () => goneSignal(response), isStillAdmitted: () => recheck.holds(0) };
}
