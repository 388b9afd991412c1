import { api, read } from '../../api/client.js';
import { Problem } from '../../api/problem.js';
import { approvalKey, effectKey } from '../../lib/inbox-key.js';
import type { Approval, Effect, InboxEvent } from './inbox.js';

const PAGE = 200;

/** All that waits for a person at this moment. */
export async function loadWaiting(): Promise<{ events: InboxEvent[]; keys: Set<string> }> {
  const [approvals, effects] = await Promise.all([
    allPages((cursor) => read(api.GET('/approvals', { params: { query: { limit: PAGE, cursor } } }))),
    allPages((cursor) => read(api.GET('/v1/effects', { params: { query: { limit: PAGE, cursor } } }))),
  ]);
  return {
    events: [
      ...approvals.map((record): InboxEvent => ({ type: 'calls', record })),
      ...effects.map((record): InboxEvent => ({ type: 'doubt', record })),
    ],
    keys: new Set([...approvals.map(approvalKey), ...effects.map(effectKey)]),
  };
}

/** The pending calls at the address of these, or what became of the last ones; null where the thread is gone. */
export async function currentApproval({ thread_id, trace_id, step }: Approval): Promise<Approval | null> {
  const path = { trace_id, step };
  return orNull(read(api.GET('/approvals/{trace_id}/{step}', { params: { path, query: { thread_id } } })));
}

export async function currentEffect({ thread_id, key, agent_id }: Effect): Promise<Effect | null> {
  const params = { path: { thread_id, key }, query: { agent_id } };
  return orNull(read(api.GET('/v1/runners/threads/{thread_id}/effects/{key}', { params })));
}

async function allPages<Item>(
  load: (cursor: string | undefined) => Promise<{ items: Item[]; next_cursor: string | null }>,
): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page: { items: Item[]; next_cursor: string | null } = await load(cursor);
    for (const item of page.items) items.push(item);
    cursor = page.next_cursor;
  }
  return items;
}

async function orNull<Data>(answer: Promise<Data>): Promise<Data | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return null;
    throw error;
  }
}
