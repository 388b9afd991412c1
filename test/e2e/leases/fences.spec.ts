import {
  budgetWarning,
  checkpoint,
  completed,
  failed,
  newThreadId,
  otherCheckpoint,
  started,
} from '../../factories/events.js';
import type { Answer } from '../../support/api-client.js';
import { claim, fenced, leased, leasePath, outcomesOf, release, type Lease } from '../../support/leases.js';
import { problemOf } from '../../support/problem.js';
import { checkpointsOf, EVENTS, latestOf, ok, record, snapshotOf } from '../../support/recording.js';
import { useSharedServer } from '../../support/shared-server.js';

const server = useSharedServer();

describe('While a run is leased', () => {
  it('what comes without its fence is refused alone, and changes nothing', async () => {
    const [threadId, other] = [newThreadId(), newThreadId()];
    const fence = await leased(server.api, threadId, 'one');
    await record(server.api, fenced(started(threadId), fence), fenced(checkpoint(threadId, 0), fence));
    const before = await snapshotOf(server.api, threadId);
    const batch = [
      checkpoint(threadId, 1),
      checkpoint(other, 0),
      fenced(otherCheckpoint(threadId, 0, 'stale'), fence - 1),
      completed(threadId),
      failed(threadId),
      started(threadId),
      fenced(checkpoint(threadId, 7), fence + 1),
    ];
    const answer = await server.api.post(EVENTS, { events: batch });
    expect([answer.status, answer.json()]).toMatchObject([207, { saved: 1, rejected: { length: 6 } }]);
    const stale = expect.objectContaining({ code: 'stale_fence', detail: expect.stringContaining('leased') });
    expect(answer.json<{ rejected: unknown[] }>().rejected).toEqual(Array.from({ length: 6 }, () => stale));
    expect(await snapshotOf(server.api, threadId)).toEqual(before);
    await record(server.api, fenced(checkpoint(threadId, 1), fence), fenced(completed(threadId), fence));
    expect(await latestOf(server.api, threadId)).toMatchObject({ step_index: 1, status: 'completed' });
  });

  it('a batch of nothing else is a problem that names the fence', async () => {
    const threadId = newThreadId();
    await leased(server.api, threadId, 'one');
    const answer = await server.api.post(EVENTS, { events: [checkpoint(threadId, 0)] });
    expect(problemOf(answer, 400)).toMatchObject({
      code: 'no_event_saved',
      errors: [{ path: 'events[0].fence' }],
      rejected: [{ index: 0, code: 'stale_fence', type: 'checkpoint' }],
    });
  });

  it('what names no run and follows a refused event does not end up in another run', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0, { trace_id: 'open' }));
    const fence = await leased(server.api, threadId, 'one');
    const nameless = { type: 'thread_completed', data: { thread_id: threadId } };
    expect(await outcomesOf(server.api, started(threadId), nameless)).toEqual(['stale_fence', 'stale_fence']);
    await record(server.api, fenced(started(threadId), fence));
    expect(await outcomesOf(server.api, checkpoint(threadId, 0), nameless)).toEqual(['stale_fence', 'stale_fence']);
    expect(await outcomesOf(server.api, nameless)).toEqual(['stale_fence']);
    expect(await latestOf(server.api, threadId, { trace_id: 'open' })).toMatchObject({ status: 'in_progress' });
    expect(await latestOf(server.api, threadId, { trace_id: 'run-1' })).toMatchObject({ status: 'in_progress' });
  });

  it('notes without a fence are kept, notes of an older holder are not', async () => {
    const threadId = newThreadId();
    const fence = await leased(server.api, threadId, 'one');
    await record(server.api, fenced(checkpoint(threadId, 0), fence));
    const notes = [
      budgetWarning(threadId),
      fenced(budgetWarning(threadId), fence - 1),
      fenced(budgetWarning(threadId), fence),
    ];
    expect(await outcomesOf(server.api, ...notes)).toEqual(['saved', 'stale_fence', 'saved']);
  });

  it('people decide on its tool calls and cancel it as ever', async () => {
    const threadId = newThreadId();
    const fence = await leased(server.api, threadId, 'one');
    const calls = { status: 'waiting_for_approval', pending_tool_calls: [{ id: 'c1', function: 'pay', args: {} }] };
    await record(server.api, fenced(checkpoint(threadId, 0, calls), fence));
    const decided = await server.api.post(`/approvals/run-1/0/approve?thread_id=${threadId}`, {});
    expect(decided.status).toBe(200);
    expect((await server.api.post(`/threads/${threadId}/runs/run-1/cancel`)).status).toBe(200);
    expect(await latestOf(server.api, threadId)).toMatchObject({ status: 'cancelled' });
  });

  it('runs that were never leased work as ever', async () => {
    const threadId = newThreadId();
    await leased(server.api, threadId, 'one');
    await record(
      server.api,
      checkpoint(threadId, 0, { trace_id: 'other' }),
      completed(threadId, { trace_id: 'other' }),
    );
    expect(await latestOf(server.api, threadId)).toMatchObject({ trace_id: 'other', status: 'completed' });
  });
});

describe('A fence', () => {
  it('counts until the run has another holder, and no longer', async () => {
    const threadId = newThreadId();
    const first = await leased(server.api, threadId, 'one');
    await record(server.api, fenced(checkpoint(threadId, 0), first));
    const second = await leased(server.api, threadId, 'two', { force: true });
    expect(await outcomesOf(server.api, fenced(checkpoint(threadId, 1), first))).toEqual(['stale_fence']);
    await record(server.api, fenced(checkpoint(threadId, 1), second));
    await release(server.api, threadId, second);
    const late = fenced(checkpoint(threadId, 2), first);
    expect(await outcomesOf(server.api, late)).toEqual(['stale_fence']);
    await record(server.api, checkpoint(threadId, 2), fenced(checkpoint(threadId, 3), second));
    expect(await latestOf(server.api, threadId)).toMatchObject({ step_index: 3 });
  });

  it('that no lease has given is stale on any run', async () => {
    const [threadId, leasedId] = [newThreadId(), newThreadId()];
    const fence = await leased(server.api, leasedId, 'one');
    expect(await outcomesOf(server.api, fenced(checkpoint(threadId, 0), fence))).toEqual(['stale_fence']);
    problemOf(await server.api.get(`/threads/${threadId}`), 404);
    await record(server.api, checkpoint(threadId, 0));
    expect(await outcomesOf(server.api, fenced(checkpoint(threadId, 1), 7))).toEqual(['stale_fence']);
  });

  it('is neither kept nor given back, and is no part of what makes a replay', async () => {
    const [threadId, plain] = [newThreadId(), newThreadId()];
    const events = (id: string) => [started(id), checkpoint(id, 0), { ...checkpoint(id, 1), id: 'e-1' }];
    const first = await leased(server.api, threadId, 'one');
    await record(server.api, ...events(threadId).map((event) => fenced(event, first)));
    await record(server.api, ...events(plain));
    const text = JSON.stringify(await snapshotOf(server.api, threadId));
    expect(text).not.toContain('fence');
    expect(text).not.toContain(String(first));
    const second = await leased(server.api, threadId, 'two', { fence: first });
    const before = await snapshotOf(server.api, threadId);
    const replays = [checkpoint(threadId, 0), { ...checkpoint(threadId, 1), id: 'e-1' }];
    await record(server.api, ...replays.map((event) => fenced(event, second)));
    expect(await snapshotOf(server.api, threadId)).toEqual(before);
    const told = await outcomesOf(server.api, ...replays.map((event) => fenced(event, first)));
    expect(told).toEqual(['stale_fence', 'stale_fence']);
    expect(await snapshotOf(server.api, threadId)).toEqual(before);
  });

  it.each([
    [{ fence: 'x' }, {}, 'fence'],
    [{ fence: 0 }, {}, 'fence'],
    [{ fence: 1.5 }, {}, 'fence'],
    [{ fence: 2 ** 53 }, {}, 'fence'],
    [{ fence: 7 }, { trace_id: null }, 'data.trace_id'],
    [{ fence: 7 }, { trace_id: '' }, 'data.trace_id'],
  ])('%j of an event with %j is a fault of %s', async (event, data, path) => {
    const answer = await server.api.post(EVENTS, { events: [{ ...checkpoint(newThreadId(), 0, data), ...event }] });
    expect(problemOf(answer, 400).errors).toMatchObject([{ path: `events[0].${path}` }]);
  });

  it('counts in a copy of the thread, too, and the next one is higher', async () => {
    const [threadId, copy] = [newThreadId(), newThreadId('copy')];
    const fence = await leased(server.api, threadId, 'one', { ttl_seconds: 3600 });
    await record(server.api, fenced(checkpoint(threadId, 0), fence));
    const { text } = await server.api.get(`/v1/threads/${threadId}/export`);
    const headers = { 'content-type': 'application/x-ndjson' };
    expect((await server.api.post(`/v1/threads/import?as=${copy}`, text, { headers })).status).toBe(201);
    const next = checkpoint(copy, 1);
    expect(await outcomesOf(server.api, next, fenced(next, fence))).toEqual(['stale_fence', 'saved']);
    expect((await claim(server.api, copy, 'two')).status).toBe(409);
    expect(await leased(server.api, copy, 'two', { fence })).toBeGreaterThan(fence);
  });

  it('that is null is none', async () => {
    await record(server.api, { ...checkpoint(newThreadId(), 0), fence: null } as never);
  });
});

describe('A sub-run', () => {
  const below = { trace_id: 'sub', parent_trace_id: 'run-1', agent_id: 'research' };
  const deeper = { trace_id: 'deep', parent_trace_id: 'sub', agent_id: 'reader' };

  it('needs the fence of the nearest leased run above it', async () => {
    const threadId = newThreadId();
    const fence = await leased(server.api, threadId, 'one');
    // Even its start, before the run above is known.
    expect(await outcomesOf(server.api, started(threadId, below))).toEqual(['stale_fence']);
    await record(server.api, fenced(started(threadId), fence));
    expect(await outcomesOf(server.api, started(threadId, below))).toEqual(['stale_fence']);
    await record(server.api, fenced(started(threadId, below), fence));
    const bare = { ...below, parent_trace_id: null };
    expect(await outcomesOf(server.api, checkpoint(threadId, 0, bare))).toEqual(['stale_fence']);
    await record(server.api, fenced(checkpoint(threadId, 0, below), fence));
    const own = await leased(server.api, threadId, 'two', { trace_id: 'sub' });
    const [step, deep] = [checkpoint(threadId, 1, below), checkpoint(threadId, 0, deeper)];
    const told = await outcomesOf(
      server.api,
      fenced(step, fence),
      fenced(step, own),
      fenced(deep, fence),
      fenced(deep, own),
    );
    expect(told).toEqual(['stale_fence', 'saved', 'stale_fence', 'saved']);
    await release(server.api, threadId, own, 'sub');
    const next = checkpoint(threadId, 1, deeper);
    expect(await outcomesOf(server.api, next, fenced(next, own), fenced(next, fence))).toEqual([
      'stale_fence',
      'stale_fence',
      'saved',
    ]);
    await release(server.api, threadId, fence);
    await record(server.api, checkpoint(threadId, 2, deeper));
    expect((await checkpointsOf(server.api, threadId, { trace_id: 'deep' })).length).toBe(3);
  });

  it('in a circle of parents needs no more than the fences that are there', async () => {
    const threadId = newThreadId();
    const fence = await leased(server.api, threadId, 'one', { trace_id: 'c' });
    await record(server.api, checkpoint(threadId, 0, { trace_id: 'a', parent_trace_id: 'b' }));
    const event = checkpoint(threadId, 0, { trace_id: 'b', parent_trace_id: 'a' });
    await record(server.api, event, checkpoint(threadId, 1, { trace_id: 'a', parent_trace_id: 'b' }));
    await record(server.api, fenced(checkpoint(threadId, 0, { trace_id: 'c', parent_trace_id: 'a' }), fence));
    expect((await server.api.get(leasePath(threadId, '', 'c'))).status).toBe(200);
  });
});

/** Cases from Mastra's lease providers and its fence around memory writes; one more, an expiring lease, is in claims.spec.ts. */
describe('As elsewhere', () => {
  const holderOf = async (threadId: string) => ok(await server.api.get(leasePath(threadId))).json<Lease>().holder;
  const refusalOf = async (answer: Promise<Answer>) => problemOf(await answer, 409).code;

  it('who acquires a lease that another has learns his name, also while it is renewed', async () => {
    const threadId = newThreadId();
    const fence = await leased(server.api, threadId, 'one');
    for (let time = 0; time < 2; time++) {
      expect(problemOf(await claim(server.api, threadId, 'two'), 409)).toMatchObject({ holder: 'one' });
      expect((await claim(server.api, threadId, 'one')).json<Lease>().fence).toBe(fence);
    }
  });

  it('who acquires his own lease again keeps it, and nobody was in between', async () => {
    const threadId = newThreadId();
    const fence = await leased(server.api, threadId, 'one');
    const answers = await Promise.all(Array.from({ length: 8 }, () => claim(server.api, threadId, 'one')));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
    expect(new Set(answers.map((answer) => answer.json<Lease>().fence))).toEqual(new Set([fence]));
  });

  it('who is no owner releases nothing, and renews nothing', async () => {
    const threadId = newThreadId();
    const first = await leased(server.api, threadId, 'one');
    await leased(server.api, threadId, 'two', { fence: first });
    expect(await refusalOf(server.api.delete(leasePath(threadId, `?fence=${first}`)))).toBe('stale_fence');
    expect(await refusalOf(claim(server.api, threadId, 'one'))).toBe('lease_held');
    expect(await holderOf(threadId)).toBe('two');
  });

  it('a released lease is free at once, and its old fence is no good', async () => {
    const threadId = newThreadId();
    const first = await leased(server.api, threadId, 'one');
    await release(server.api, threadId, first);
    const second = await leased(server.api, threadId, 'two');
    const outcomes = [first, second].map((fence, n) => outcomesOf(server.api, fenced(checkpoint(threadId, n), fence)));
    expect(await Promise.all(outcomes)).toEqual([['stale_fence'], ['saved']]);
  });

  it('a lease is transferred without a gap, by its owner only, and the owner before is fenced off', async () => {
    const threadId = newThreadId();
    const first = await leased(server.api, threadId, 'one');
    expect(await refusalOf(claim(server.api, threadId, 'thief', { fence: first + 1 }))).toBe('lease_held');
    const [second, between] = await Promise.all([
      leased(server.api, threadId, 'two', { fence: first }),
      claim(server.api, threadId, 'thief'),
    ]);
    expect(problemOf(between, 409).code).toBe('lease_held');
    expect(await outcomesOf(server.api, fenced(checkpoint(threadId, 0), first))).toEqual(['stale_fence']);
    expect(await outcomesOf(server.api, fenced(checkpoint(threadId, 0), second))).toEqual(['saved']);
  });

  it('a write under way when its owner is replaced comes too late, or was first: it never overwrites the successor’s', async () => {
    const threadId = newThreadId();
    const first = await leased(server.api, threadId, 'one');
    const written = outcomesOf(server.api, fenced(checkpoint(threadId, 0), first));
    const second = await leased(server.api, threadId, 'two', { fence: first });
    await record(server.api, fenced(otherCheckpoint(threadId, 0, 'of the successor'), second));
    expect(['saved', 'stale_fence']).toContain((await written)[0]);
    expect(await outcomesOf(server.api, fenced(checkpoint(threadId, 0), first))).toEqual(['stale_fence']);
    expect(JSON.stringify((await latestOf(server.api, threadId)).history)).toContain('of the successor');
  });

  it('keys are leased each by themselves: another run of the thread, and the same run of another thread', async () => {
    const [threadId, other] = [newThreadId(), newThreadId()];
    const fence = await leased(server.api, threadId, 'one');
    await leased(server.api, threadId, 'two', { trace_id: 'run-2' });
    await leased(server.api, other, 'three');
    expect(await outcomesOf(server.api, fenced(checkpoint(other, 0), fence))).toEqual(['stale_fence']);
    expect(await holderOf(threadId)).toBe('one');
  });
});
