import { TokenRecheck } from './token-recheck.js';
import type { LongPoll } from '../common/long-poll.js';
import type { ApiRequest, ApiResponse } from './api-request.js';

export function longPoll(response: ApiResponse): LongPoll {
  const recheck = new TokenRecheck((response.req as ApiRequest).isStillAdmitted);
  return { gone: () => disconnectSignal(response), isStillAdmitted: () => recheck.holds(0) };
}

/** Aborts if the connection closes, or has closed, before the response is sent. */
export function disconnectSignal(response: ApiResponse): AbortSignal {
  const controller = new AbortController();
  if (response.closed && !response.writableFinished) controller.abort();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller.signal;
}
