import type { ApiResponse } from './api-request.js';

/** Aborts when the connection closes before the answer is sent: nobody waits for it any more. */
export function goneSignal(response: ApiResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller.signal;
}
