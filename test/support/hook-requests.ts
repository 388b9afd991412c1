import type { Answer, ApiClient } from './api-client.js';

/**
 * Posts to a hook's route, as `waystation hook run` does.
 * @param key the header Idempotency-Key; null for none
 * @param wait seconds
 */
export function postHook(
  api: ApiClient,
  platform: string,
  input: object | string,
  key: string | null,
  wait = '0',
): Promise<Answer> {
  const headers = key === null ? undefined : { 'idempotency-key': key };
  return api.post(`/v1/runners/hooks/${platform}?wait=${wait}`, input, { headers });
}

/** The output of a hook for a decision. */
export function hookOutput(decision: object): object {
  return { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } };
}
