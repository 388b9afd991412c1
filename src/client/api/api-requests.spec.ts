import type { ApiResponse, ApiConnection, ApiRequestOptions } from '../api-connection.js';
import { ApiRequests } from './api-requests.js';

const LIMITS = { timeoutMs: 1_234, retries: 0, totalTimeoutMs: 60_000 };

it('takes an option without a value for none', async () => {
  const seen: unknown[] = [];
  const send = (_: string, { timeoutMs }: ApiRequestOptions): Promise<ApiResponse> => {
    seen.push(timeoutMs);
    return Promise.resolve({ status: 503, headers: new Headers(), text: '' });
  };
  const requests = new ApiRequests({ url: 'http://localhost', send } as unknown as ApiConnection, LIMITS);
  const none = { timeoutMs: undefined, retries: undefined, totalTimeoutMs: undefined } as object;
  expect((await requests.responseTo('get', '/health', none)).status).toBe(503);
  expect(seen).toEqual([LIMITS.timeoutMs]);
});
