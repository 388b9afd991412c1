import type { Answer, ApiClient } from './api-client.js';
import { threadPath } from './recording.js';

/** A person cancels a run. */
export function cancel(api: ApiClient, threadId: string, traceId = 'run-1'): Promise<Answer> {
  return api.post(threadPath(threadId, `/runs/${encodeURIComponent(traceId)}/cancel`));
}

/** A person retries a run. */
export function retry(api: ApiClient, threadId: string, traceId = 'run-1'): Promise<Answer> {
  return api.post(threadPath(threadId, `/runs/${encodeURIComponent(traceId)}/retry`));
}
