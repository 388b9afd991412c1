import type { Answer, ApiClient } from './api-client.js';
import { ok, type Page } from './recording.js';

/** The fields of a record that tests look at by name. */
export interface EffectRecord extends Record<string, unknown> {
  key: string;
  agent_id: string;
  state: 'started' | 'completed' | 'failed' | 'not_done';
  in_doubt: boolean;
  attempt: number;
  result: unknown;
}

type Query = Record<string, string>;

export function effectsPath(threadId: string, key?: string, query: Query = {}): string {
  const text = new URLSearchParams(query).toString();
  const path = `/v1/runners/threads/${encodeURIComponent(threadId)}/effects`;
  return `${path}${key === undefined ? '' : `/${encodeURIComponent(key)}`}${text === '' ? '' : `?${text}`}`;
}

/** A claim with the required members; does not check the outcome. */
export function claim(api: ApiClient, threadId: string, fields: object = {}): Promise<Answer> {
  const own = { trace_id: 'run-1', agent_id: 'support', key: 'refund:4711', tool: 'refund', args: { order: 4711 } };
  return api.post(effectsPath(threadId), { ...own, ...fields });
}

/** A claim that must be granted. @returns its record */
export async function claimed(api: ApiClient, threadId: string, fields: object = {}): Promise<EffectRecord> {
  const answer = await claim(api, threadId, fields);
  if (answer.status !== 201) throw new Error(`Expected 201, got ${answer.status}: ${answer.text.slice(0, 500)}`);
  return answer.json<EffectRecord>();
}

export function settle(
  api: ApiClient,
  threadId: string,
  fields: object | string,
  key = 'refund:4711',
  query: Query = {},
): Promise<Answer> {
  return api.send('PUT', effectsPath(threadId, key, query), fields);
}

/** A settlement that must be accepted. @returns the record */
export async function settled(...order: Parameters<typeof settle>): Promise<EffectRecord> {
  return ok(await settle(...order)).json<EffectRecord>();
}

export async function effectOf(api: ApiClient, threadId: string, key = 'refund:4711', query: Query = {}) {
  return ok(await api.get(effectsPath(threadId, key, query))).json<EffectRecord>();
}

export async function effectsOf(api: ApiClient, threadId: string, query: Query = {}): Promise<EffectRecord[]> {
  return ok(await api.get(effectsPath(threadId, undefined, query))).json<Page<EffectRecord>>().items;
}

/** A response in short: `201`, `200 completed`, `409 effect_in_flight`. */
export function gist(answer: Answer): string {
  const { code, state } = answer.json<{ code?: string; state?: string }>();
  return answer.status === 201 ? '201' : `${answer.status} ${code ?? state}`;
}
