import { hash } from 'node:crypto';
import type { Answer, ApiClient } from './api-client.js';
import { ok } from './recording.js';

/** A graph checkpoint in a response. */
export interface StateRecord {
  thread_id: string;
  agent_id: string;
  ns: string;
  checkpoint_id: string;
  parent_id: string | null;
  checkpoint: { type: string; data: string };
  metadata: Record<string, unknown>;
  values: Record<string, { version: unknown; type: string; digest: string; data: string }>;
  writes: { task_id: string; task_path: string; idx: number; channel: string; type: string; data: string }[];
}

type Query = Record<string, string>;

const STATES = '/v1/runners/state';

export function statePath(threadId: string, checkpointId?: string, query: Query = {}, rest = ''): string {
  const id = checkpointId === undefined ? '' : `/${encodeURIComponent(checkpointId)}`;
  return `/v1/runners/threads/${encodeURIComponent(threadId)}/state${id}${rest}${queryText(query)}`;
}

/** Base64 of a text, or of bytes. */
export function b64(data: string | Buffer): string {
  return Buffer.from(data).toString('base64');
}

export function digestOf(data: string | Buffer): string {
  return hash('sha256', data, 'hex');
}

/** Channel values to send, each as JSON of version 1. */
export function valuesOf(channels: Record<string, unknown>): Record<string, object> {
  return Object.fromEntries(
    Object.entries(channels).map(([name, value]) => [
      name,
      { version: 1, type: 'json', data: b64(JSON.stringify(value)) },
    ]),
  );
}

export function putState(
  api: ApiClient,
  threadId: string,
  checkpointId: string,
  fields: object | string = {},
  query: Query = {},
): Promise<Answer> {
  const own = { checkpoint: { type: 'json', data: b64(`{"id":"${checkpointId}"}`) }, metadata: { source: 'loop' } };
  const body = typeof fields === 'string' ? fields : { ...own, ...fields };
  return api.send('PUT', statePath(threadId, checkpointId, query), body);
}

export function putWrites(
  api: ApiClient,
  threadId: string,
  checkpointId: string,
  body: object,
  query: Query = {},
): Promise<Answer> {
  return api.post(statePath(threadId, checkpointId, query, '/writes'), body);
}

export function deleteStates(
  api: ApiClient,
  threadId: string,
  checkpoints: { checkpoint_id: string; ns?: string }[],
  query: Query = {},
): Promise<Answer> {
  return api.post(statePath(threadId, undefined, query, '/delete'), { checkpoints });
}

/** A task's writes, each as JSON. */
export function writesOf(taskId: string, ...writes: [idx: number, channel: string, value: unknown][]): object {
  return {
    task_id: taskId,
    writes: writes.map(([idx, channel, value]) => ({ idx, channel, type: 'json', data: b64(JSON.stringify(value)) })),
  };
}

export async function stateOf(
  api: ApiClient,
  threadId: string,
  checkpointId?: string,
  query: Query = {},
): Promise<StateRecord> {
  return ok(await api.get(statePath(threadId, checkpointId, query))).json<StateRecord>();
}

/** The ids of all checkpoints in a list, page by page. */
export async function stateIds(api: ApiClient, query: Query): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const answer: Answer = ok(await api.get(`${STATES}${queryText({ ...query, ...(cursor !== null && { cursor }) })}`));
    const page = answer.json<{ items: StateRecord[]; next_cursor: string | null }>();
    ids.push(...page.items.map(({ checkpoint_id }) => checkpoint_id));
    cursor = page.next_cursor;
  } while (cursor !== null);
  return ids;
}

function queryText(query: Query): string {
  const text = new URLSearchParams(query).toString();
  return text === '' ? '' : `?${text}`;
}
