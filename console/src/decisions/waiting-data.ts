import { api, read } from '../api/client.js';
import { allPages } from '../api/lists.js';
import { Problem } from '../api/problem.js';
import { approvalKey, effectKey } from '../lib/inbox-key.js';
import type { Approval, Effect, InboxEvent } from './inbox.js';

/** Everything that waits for a person now. */
export async function loadWaiting(): Promise<{ events: InboxEvent[]; keys: Set<string> }> {
  const [{ items: approvals }, { items: effects }] = await Promise.all([
    allPages((query) => read(api.GET('/approvals', { params: { query } }))),
    allPages((query) => read(api.GET('/v1/effects', { params: { query } }))),
  ]);
  return {
    events: [
      ...approvals.map((record): InboxEvent => ({ type: 'calls', record })),
      ...effects.map((record): InboxEvent => ({ type: 'doubt', record })),
    ],
    keys: new Set([...approvals.map(approvalKey), ...effects.map(effectKey)]),
  };
}

/** The pending calls at the same address, or the outcome of the last ones; null if the thread is gone. */
export async function currentApproval({ thread_id, trace_id, step }: Approval): Promise<Approval | null> {
  const path = { trace_id, step };
  return orNull(read(api.GET('/approvals/{trace_id}/{step}', { params: { path, query: { thread_id } } })));
}

export async function currentEffect({ thread_id, key, agent_id }: Effect): Promise<Effect | null> {
  const params = { path: { thread_id, key }, query: { agent_id } };
  return orNull(read(api.GET('/v1/runners/threads/{thread_id}/effects/{key}', { params })));
}

async function orNull<Data>(answer: Promise<Data>): Promise<Data | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return null;
    throw error;
  }
}
