import type { RunIds } from '../factories/waiting.js';
import type { Answer, ApiClient } from './api-client.js';
import { ok, type Page } from './recording.js';

export type Verb = 'approve' | 'reject';

export interface ToolCall {
  index: number;
  id: string | null;
  name: string | null;
  args: unknown;
  decision: Verb | 'answer' | null;
  edited_args: unknown;
  reason?: string;
  raw: unknown;
}

/** The fields of a record that tests look at by name. */
export interface Approval extends Record<string, unknown> {
  trace_id: string;
  step: number;
  thread_id: string;
  agent_id: string;
  status: 'pending' | 'approved' | 'rejected' | 'expired' | 'superseded';
  tool_calls: ToolCall[];
  digest: string;
  attempt: number;
  created_at: string;
  expires_at: string | null;
  decided_at: string | null;
  decided_by: string | null;
  decided_through: string | null;
  reason: string | null;
}

type Query = Record<string, string>;

export function approvalPath(traceId: string, step: number | string, rest = '', query: Query = {}): string {
  const text = new URLSearchParams(query).toString();
  return `/approvals/${encodeURIComponent(traceId)}/${step}${rest}${text === '' ? '' : `?${text}`}`;
}

/** Sends a decision without checking the outcome. */
export function decide(
  api: ApiClient,
  verb: Verb,
  { traceId }: Pick<RunIds, 'traceId'>,
  step: number,
  body?: object | string,
  query: Query = {},
): Promise<Answer> {
  return api.post(approvalPath(traceId, step, `/${verb}`, query), body);
}

/** Sends a decision that must be accepted. @returns the record */
export async function decided(...order: Parameters<typeof decide>): Promise<Approval> {
  return recordIn(ok(await decide(...order)));
}

/** The record in the response to a decision, without the members that only such responses have. */
export function recordIn(answer: Answer): Approval {
  const { ok: isTaken, step_index: step, ...record } = answer.json<Approval>();
  expect([isTaken, step]).toEqual([true, record.step]);
  return record;
}

export async function approvalOf(
  api: ApiClient,
  { traceId }: Pick<RunIds, 'traceId'>,
  step: number,
  query: Query = {},
): Promise<Approval> {
  return ok(await api.get(approvalPath(traceId, step, '', query))).json<Approval>();
}

/** One page of the list. */
export async function approvalPage(api: ApiClient, query: Query = {}): Promise<Page<Approval>> {
  return ok(await api.get(`/approvals?${new URLSearchParams(query).toString()}`)).json<Page<Approval>>();
}

/** The whole list, page by page. */
export async function approvalList(api: ApiClient, query: Query): Promise<Approval[]> {
  const items: Approval[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: Page<Approval> = await approvalPage(api, { ...query, ...(cursor === '' ? {} : { cursor }) });
    items.push(...page.items);
    cursor = page.next_cursor;
  }
  return items;
}

/** All approvals of a thread; pending ones unless the query says otherwise. */
export function approvalsOf(api: ApiClient, threadId: string, query: Query = {}): Promise<Approval[]> {
  return approvalList(api, { thread_id: threadId, ...query });
}

/** Step and status of each approval of a thread, oldest first: `1 pending`. */
export async function statusesOf(api: ApiClient, threadId: string): Promise<string[]> {
  const approvals = await approvalsOf(api, threadId, { status: 'all' });
  return approvals.map(({ step, status }) => `${step} ${status}`);
}

/** Fails unless the thread counts as many pending approvals as the list contains. @returns the number */
export async function pendingCountOf(api: ApiClient, threadId: string): Promise<number> {
  const page = ok(await api.get(`/threads?q=${encodeURIComponent(threadId)}`)).json<Page<Record<string, unknown>>>();
  const counted = page.items.find((item) => item.thread_id === threadId)?.pending_approvals;
  expect([threadId, counted]).toEqual([threadId, (await approvalsOf(api, threadId)).length]);
  return counted as number;
}
