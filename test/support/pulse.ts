import type { ApiClient } from './api-client.js';

/** Milliseconds that the server currently takes for a trivial response: the machine's share of a delay. */
export async function pulseOf(api: ApiClient): Promise<number> {
  const begin = performance.now();
  await api.get('/health', { token: null });
  return performance.now() - begin;
}
