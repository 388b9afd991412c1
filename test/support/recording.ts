import type { RunnerEvent } from '../factories/events.js';
import type { Answer, ApiClient } from './api-client.js';

export const EVENTS = '/v1/runners/events';

/** The fields of a response that tests look at by name. */
export interface Checkpoint extends Record<string, unknown> {
  thread_id: string;
  trace_id: string;
  agent_id: string;
  step_index: number;
  status: string;
  history: Record<string, unknown>[];
  history_meta: Record<string, unknown>[];
  tokens_used: number;
}

export interface Page<T> {
  items: T[];
  next_cursor: string | null;
  total?: number;
}

/** Posts one batch, all of which must be accepted. */
export async function record(api: ApiClient, ...events: RunnerEvent[]): Promise<void> {
  const answer = await api.post(EVENTS, { events });
  if (answer.status !== 200) throw new Error(`The batch was not accepted: ${answer.status} ${answer.text}`);
  expect(answer.json()).toEqual({ saved: events.length, rejected: [] });
}

/** Posts each event in its own batch, one after the other. */
export async function recordEach(api: ApiClient, ...events: RunnerEvent[]): Promise<void> {
  for (const event of events) await record(api, event);
}

export function latestPath(threadId: string, query: Record<string, string> = {}): string {
  return withQuery(`/v1/runners/threads/${encodeURIComponent(threadId)}/latest`, query);
}

export function threadPath(threadId: string, rest = '', query: Record<string, string> = {}): string {
  return withQuery(`/threads/${encodeURIComponent(threadId)}${rest}`, query);
}

export async function latestOf(
  api: ApiClient,
  threadId: string,
  query: Record<string, string> = {},
): Promise<Checkpoint> {
  return ok(await api.get(latestPath(threadId, query))).json<Checkpoint>();
}

export async function checkpointsOf(
  api: ApiClient,
  threadId: string,
  query: Record<string, string> = {},
): Promise<Checkpoint[]> {
  return ok(await api.get(threadPath(threadId, '/checkpoints', query))).json<Page<Checkpoint>>().items;
}

export async function detailOf(api: ApiClient, threadId: string): Promise<Record<string, unknown>> {
  return ok(await api.get(threadPath(threadId))).json();
}

export async function listOf(api: ApiClient, query: Record<string, string>): Promise<Page<Record<string, unknown>>> {
  return ok(await api.get(withQuery('/threads', query))).json();
}

/** Run, step and status of each checkpoint, in order: `run-1/0 in_progress`. */
export function outline(checkpoints: readonly Checkpoint[]): string[] {
  return checkpoints.map(({ trace_id, step_index, status }) => `${trace_id}/${step_index} ${status}`);
}

/** Everything that the API says about a thread, times included. */
export async function snapshotOf(api: ApiClient, threadId: string): Promise<unknown> {
  const detail = await detailOf(api, threadId);
  return {
    latest: await latestOf(api, threadId),
    checkpoints: await checkpointsOf(api, threadId),
    detail,
  };
}

/** The status of the first run of a thread, or of the one at `index`. */
export async function runStatusOf(api: ApiClient, threadId: string, index = 0): Promise<unknown> {
  const { run_list: runs } = (await detailOf(api, threadId)) as { run_list: { status: string }[] };
  return runs[index]?.status;
}

/** Posts the events one by one and checks that the API still returns the same for the thread. */
export async function expectUnchangedBy(api: ApiClient, threadId: string, ...events: RunnerEvent[]): Promise<void> {
  const before = await snapshotOf(api, threadId);
  await recordEach(api, ...events);
  expect(await snapshotOf(api, threadId)).toEqual(before);
}

/** The same for events between which the status changes back and forth, so that only the time of the last change differs. */
export async function expectRestoredBy(api: ApiClient, threadId: string, ...events: RunnerEvent[]): Promise<void> {
  const timeless = async () =>
    JSON.stringify(await snapshotOf(api, threadId), (key, value: unknown) =>
      key === 'updated_at' || key === 'duration_ms' ? undefined : value,
    );
  const before = await timeless();
  await recordEach(api, ...events);
  expect(JSON.parse(await timeless())).toEqual(JSON.parse(before));
}

export function ok(answer: Answer): Answer {
  if (answer.status !== 200) throw new Error(`Expected 200, got ${answer.status}: ${answer.text.slice(0, 500)}`);
  return answer;
}

function withQuery(path: string, query: Record<string, string>): string {
  const text = new URLSearchParams(query).toString();
  return text === '' ? path : `${path}?${text}`;
}
