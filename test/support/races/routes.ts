import { checkpoint, type RunnerEvent } from '../../factories/events.js';
import { waiting } from '../../factories/waiting.js';
import type { Answer, ApiClient } from '../api-client.js';
import { decide } from '../approvals.js';
import { cancel } from '../cancel.js';
import { claim as claimEffect, settle } from '../effects.js';
import { postHook } from '../hook-requests.js';
import { claim, leasePath } from '../leases.js';
import { EVENTS, record, threadPath } from '../recording.js';
import { putState, statePath, valuesOf } from '../states.js';

/** A thread that requests compete for. All threads of one race have the same story but different names. */
export interface RacedThread {
  api: ApiClient;
  id: string;
  /** Approvals are addressed by their trace alone, so each thread has its own traces. */
  trace: string;
  agent: string;
  /** The fence of its second run's lease; 1 if there is none. */
  fence: number;
  /** Another thread as JSON lines, to be imported under this name. */
  lines: string;
  /** A token for another agent. */
  bound: ApiClient;
}

export type Route = (thread: RacedThread) => Promise<Answer>;

const CALL = { id: 'call-1', type: 'function', function: { name: 'refund', arguments: '{"order":4711}' } };

function report(api: ApiClient, ...events: RunnerEvent[]): Promise<Answer> {
  return api.post(EVENTS, { events });
}

function step({ id, trace, agent }: RacedThread, at: number, fields: object = {}): RunnerEvent {
  return checkpoint(id, at, { trace_id: trace, agent_id: agent, ...fields });
}

function waits({ id, trace, agent }: RacedThread, at: number): RunnerEvent {
  return waiting({ threadId: id, traceId: trace }, at, { agent_id: agent, pending_tool_calls: [CALL] });
}

function says(type: string, fields: object = {}): Route {
  return (thread) => {
    const data = { thread_id: thread.id, trace_id: thread.trace, agent_id: thread.agent, ...fields };
    return report(thread.api, { type, data });
  };
}

const sub = (thread: RacedThread) => ({
  trace_id: `${thread.trace}-sub`,
  parent_trace_id: thread.trace,
  agent_id: `${thread.agent}:sub`,
});
/** Longer than a race takes on the slowest machine: on PostgreSQL, leases expire by the database's clock. */
const LONG = { ttl_seconds: 3600 };
const lease = (thread: RacedThread) => ({ ...LONG, trace_id: `${thread.trace}-leased`, agent_id: thread.agent });
const effect = ({ trace, agent }: RacedThread) => ({ trace_id: trace, agent_id: agent, claim_id: 'claim' });
const session = (thread: RacedThread) => ({
  session_id: thread.id,
  hook_event_name: 'UserPromptSubmit',
  prompt: 'Pay it.',
  cwd: '/tmp',
  transcript_path: '/tmp/none',
});

/** All writes to a thread, by description. */
export const ROUTES: Readonly<Record<string, Route>> = {
  'starts the run': says('thread_started'),
  'starts another run': (thread) =>
    report(thread.api, {
      type: 'thread_started',
      data: { thread_id: thread.id, trace_id: `${thread.trace}-other`, agent_id: thread.agent },
    }),
  'reports step 0': (thread) => report(thread.api, step(thread, 0)),
  'reports step 0 otherwise': (thread) =>
    report(thread.api, step(thread, 0, { history: [{ role: 'user', content: 'Else' }] })),
  'reports step 2': (thread) => report(thread.api, step(thread, 2)),
  'reports a step without messages': (thread) => report(thread.api, step(thread, 3, { history: [], history_meta: [] })),
  'reports in no named run': (thread) => report(thread.api, step(thread, 4, { trace_id: undefined })),
  'reports a sub-run': (thread) => report(thread.api, step(thread, 0, sub(thread))),
  'waits at step 2': (thread) => report(thread.api, waits(thread, 2)),
  'reports by another token': (thread) => report(thread.bound, step(thread, 0, { agent_id: 'guest' })),
  'completes the run': says('thread_completed', { tokens_used: 500 }),
  'fails without a trace': says('thread_error', { trace_id: undefined, error: 'lost' }),
  'is idle': says('thread_idle'),
  'uses up its budget': says('thread_budget_exceeded'),
  'warns of its budget': says('budget_warning', { message: 'half' }),
  'settles by an event': says('effect_settled', { key: 'refund:4711', outcome: 'completed' }),
  'claims the lease': (thread) =>
    claim(thread.api, thread.id, 'one', { ...LONG, trace_id: thread.trace, agent_id: thread.agent }),
  'claims the lease for another': (thread) => claim(thread.api, thread.id, 'two', { trace_id: thread.trace }),
  'takes the lease by force': (thread) =>
    claim(thread.api, thread.id, 'three', { ...LONG, trace_id: thread.trace, force: true }),
  'renews the lease': (thread) => claim(thread.api, thread.id, 'holder', lease(thread)),
  'hands the lease over': (thread) => claim(thread.api, thread.id, 'next', { ...lease(thread), fence: thread.fence }),
  'releases the lease': (thread) =>
    thread.api.delete(leasePath(thread.id, `?fence=${thread.fence}`, lease(thread).trace_id)),
  'reports under the lease': (thread) =>
    report(thread.api, { ...step(thread, 0, lease(thread)), fence: thread.fence } as RunnerEvent),
  'claims an effect': (thread) => claimEffect(thread.api, thread.id, effect(thread)),
  'claims the effect of a call': (thread) =>
    claimEffect(thread.api, thread.id, { ...effect(thread), key: 'asked', call_id: 'call-1' }),
  'settles the effect': (thread) => settle(thread.api, thread.id, { outcome: 'completed', result: 1 }),
  approves: (thread) => decide(thread.api, 'approve', { traceId: thread.trace }, 1),
  rejects: (thread) => decide(thread.api, 'reject', { traceId: thread.trace }, 1, { reason: 'no' }),
  cancels: (thread) => cancel(thread.api, thread.id, thread.trace),
  retries: (thread) => thread.api.post(threadPath(thread.id, `/runs/${thread.trace}/retry`)),
  'deletes the thread': (thread) => thread.api.delete(threadPath(thread.id)),
  'imports the thread': (thread) =>
    thread.api.post(`/v1/threads/import?as=${thread.id}`, thread.lines, {
      headers: { 'content-type': 'application/x-ndjson' },
    }),
  'stores a state': (thread) =>
    putState(thread.api, thread.id, 'state-2', { agent_id: thread.agent, values: valuesOf({ count: 2 }) }),
  'deletes the states': (thread) => thread.api.delete(statePath(thread.id, undefined, { agent_id: thread.agent })),
  'tells of a prompt': (thread) => postHook(thread.api, 'claude-code', session(thread), null),
  'sends a heartbeat': (thread) => report(thread.api, { type: 'heartbeat', data: { agent_id: thread.agent } }),
  'creates a token': (thread) => thread.api.post('/v1/tokens', { scope: 'runner', agent_ids: [thread.agent] }),
};

/** The story of a known thread: a run that waits for a person, a leased run, a started effect, a graph state. */
export async function prepare(thread: RacedThread): Promise<RacedThread> {
  await record(thread.api, step(thread, 0), waits(thread, 1));
  const claimed = await claim(thread.api, thread.id, 'holder', lease(thread));
  await claimEffect(thread.api, thread.id, effect(thread));
  await putState(thread.api, thread.id, 'state-1', { agent_id: thread.agent, values: valuesOf({ count: 1 }) });
  return { ...thread, fence: claimed.json<{ fence: number }>().fence };
}
