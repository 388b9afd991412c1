import type { ApiClient } from './api-client.js';

/** Milliseconds that the server takes right now for an answer that costs it nothing: what of a delay is the machine's. */
export async function pulseOf(api: ApiClient): Promise<number> {
  const begin = performance.now();
  await api.get('/health', { token: null });
  return performance.now() - begin;
}
