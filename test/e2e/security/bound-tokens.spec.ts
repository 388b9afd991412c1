import {
  budgetWarning,
  checkpoint,
  completed,
  conversation,
  failed,
  newThreadId,
  started,
  type RunnerEvent,
} from '../../factories/events.js';
import type { ApiClient } from '../../support/api-client.js';
import { problemOf } from '../../support/problem.js';
import {
  detailOf,
  EVENTS,
  expectUnchangedBy,
  latestOf,
  latestPath,
  record,
  runStatusOf,
  threadPath,
} from '../../support/recording.js';
import { useSharedServer } from '../../support/shared-server.js';

const server = useSharedServer();

/** The server with a token that is bound to the agent. */
async function bound(agentId = 'support'): Promise<ApiClient> {
  const made = await server.api.post('/v1/tokens', { scope: 'runner', agent_ids: [agentId] });
  return server.api.as(made.json<{ token: string }>().token);
}

const queries = (...all: Record<string, string>[]) => all;

async function expectRefused(api: ApiClient, event: RunnerEvent): Promise<void> {
  const good = checkpoint(newThreadId(), 0);
  const answer = await api.post(EVENTS, { events: [event, good] });
  expect([answer.status, answer.json()]).toEqual([
    207,
    { saved: 1, rejected: [expect.objectContaining({ index: 0, code: 'agent_not_allowed' })] },
  ]);
}

describe('A token that is bound to an agent', () => {
  it('reports for this agent, and for no other, not even for one without a name', async () => {
    const api = await bound();
    const [own, other] = [newThreadId(), newThreadId()];
    await record(api, started(own), checkpoint(own, 0), completed(own));
    await expectRefused(api, checkpoint(other, 0, { agent_id: 'research' }));
    await expectRefused(api, started(other, { agent_id: 'research' }));
    await expectRefused(api, { type: 'checkpoint', data: { thread_id: other } });
    problemOf(await server.api.get(latestPath(other)), 404);
  });

  it('reports and reads for the sub-agents of its agent, which bear its name', async () => {
    const api = await bound();
    const threadId = newThreadId();
    const sub = { trace_id: 'sub', agent_id: 'support:lookup', parent_trace_id: 'run-1' };
    await record(api, started(threadId), checkpoint(threadId, 0), started(threadId, sub), checkpoint(threadId, 0, sub));
    expect((await api.get(latestPath(threadId, { agent_id: 'support:lookup' }))).status).toBe(200);
    expect((await api.get(latestPath(threadId, { trace_id: 'sub' }))).status).toBe(200);
    await record(api, { type: 'heartbeat', data: { agent_id: 'support:lookup', endpoint: 'http://127.0.0.1:9/' } });
    await expectRefused(api, checkpoint(newThreadId(), 0, { agent_id: 'supporter' }));
  });

  it("cannot end, fail or change another agent's run by leaving the name out", async () => {
    const api = await bound();
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0, { agent_id: 'research' }));
    for (const event of [completed(threadId), failed(threadId), checkpoint(threadId, 0, { agent_id: 'support' })]) {
      const before = await latestOf(server.api, threadId);
      await api.post(EVENTS, { events: [event] });
      expect(await latestOf(server.api, threadId)).toEqual(before);
    }
    await expectUnchangedBy(server.api, threadId);
  });

  it('sends heartbeats for no other, so that no work of others is sent to it', async () => {
    const api = await bound();
    const heartbeat = (agent_id: string) => ({
      type: 'heartbeat',
      data: { agent_id, endpoint: 'http://127.0.0.1:9/', invoke_token: 'x' },
    });
    await record(api, heartbeat('support'));
    await expectRefused(api, heartbeat('research'));
    const { items } = (await server.api.get('/v1/agents')).json<{ items: { agent_id: string }[] }>();
    expect(items.map(({ agent_id }) => agent_id)).not.toContain('research');
    expect(items.map(({ agent_id }) => agent_id)).toContain('support');
  });

  it('reads only threads in which its agent has a run', async () => {
    const api = await bound();
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0, { agent_id: 'research' }));
    problemOf(await api.get(latestPath(threadId)), 404);
    problemOf(await api.get(latestPath(threadId, { wait: '1' })), 404);
    await record(server.api, started(threadId, { trace_id: 'sub', parent_trace_id: 'run-1' }));
    expect(await latestOf(api, threadId)).toMatchObject({ agent_id: 'support', trace_id: 'sub' });
  });

  it.each([
    ['joined', []],
    ['began', [started('', { trace_id: 'first' })]],
    ['joined naming a parent that it guessed', [started('', { trace_id: 'guest', parent_trace_id: 'theirs' })]],
    ['began naming a parent that it guessed', [checkpoint('', 0, { trace_id: 'guest', parent_trace_id: 'theirs' })]],
    ['began under the trace of others', [checkpoint('', 0, { trace_id: 'theirs' })]],
  ])('sees of a thread that it %s only what is its own', async (how, begun) => {
    const api = await bound();
    const [threadId, secret] = [newThreadId(), conversation(2, ' a secret')];
    const others = { trace_id: 'theirs', agent_id: 'research' };
    const first = begun.map((event) => ({ ...event, data: { ...event.data, thread_id: threadId } }));
    if (how.startsWith('began')) await record(api, ...first);
    await record(server.api, started(threadId, others), checkpoint(threadId, 0, { ...others, history: secret }));
    if (how.startsWith('joined')) await record(api, ...first);
    await record(api, checkpoint(threadId, 0, { trace_id: 'mine' }));
    await record(server.api, checkpoint(threadId, 1, { ...others, history: secret }));
    problemOf(await api.get(latestPath(threadId, { agent_id: 'research' })), 404);
    for (const query of queries({}, { agent_id: 'support' }, { trace_id: 'mine' }, { trace_id: 'theirs' })) {
      const { text } = await api.get(latestPath(threadId, query));
      expect([query, text]).not.toEqual([query, expect.stringContaining('a secret')]);
    }
    expect(await latestOf(api, threadId)).toMatchObject({ trace_id: 'mine', agent_id: 'support' });
  });

  it.each(['joined', 'began'])(
    "becomes nobody's latest in a thread that it %s, and stops nobody's reports",
    async (how) => {
      const api = await bound();
      const threadId = newThreadId();
      const others = { agent_id: 'research' };
      const guest = checkpoint(threadId, 0, { trace_id: 'guest', status: 'waiting_for_approval' });
      if (how === 'began') await record(api, guest);
      await record(server.api, started(threadId, others));
      if (how === 'joined') await record(api, guest);
      expect(await latestOf(server.api, threadId)).toMatchObject(others);
      await record(server.api, { type: 'checkpoint', data: { thread_id: threadId, ...others, step_index: 0 } });
      await record(api, checkpoint(threadId, 1, { trace_id: 'guest', parent_trace_id: 'run-1', status: 'approved' }));
      expect(await latestOf(server.api, threadId)).toMatchObject({ ...others, step_index: 0 });
      await record(server.api, { type: 'thread_completed', data: { thread_id: threadId } });
      expect(await latestOf(server.api, threadId)).toMatchObject({ ...others, status: 'completed' });
      expect(await latestOf(api, threadId)).toMatchObject({ trace_id: 'guest', step_index: 1, status: 'approved' });
      expect(await detailOf(server.api, threadId)).toMatchObject({ status: 'completed', runs: 2 });
    },
  );

  it('takes nothing from others by taking their trace and the ids of their events first', async () => {
    const api = await bound();
    const threadId = newThreadId();
    const event = { ...checkpoint(threadId, 0, { agent_id: 'research' }), id: 'event-1' };
    const end = completed(threadId, { agent_id: 'research' });
    await record(api, { ...checkpoint(threadId, 0), id: 'event-1' }, completed(threadId));
    await record(server.api, started(threadId, { agent_id: 'research' }), event);
    expect(await latestOf(server.api, threadId)).toMatchObject({ agent_id: 'research', status: 'in_progress' });
    await record(server.api, end);
    const seen = await latestOf(server.api, threadId, { trace_id: 'run-1' });
    expect(seen).toMatchObject({ agent_id: 'research', status: 'completed', trace_id: 'run-1' });
    expect(await latestOf(api, threadId, { trace_id: 'run-1' })).toMatchObject({ agent_id: 'support' });
  });

  it('sees the sub-runs below its runs, as far as those may speak for it who say so', async () => {
    const [api, stranger] = [await bound(), await bound('evil')];
    const threadId = newThreadId();
    const called = { trace_id: 'called', agent_id: 'search', parent_trace_id: 'run-1' };
    const deeper = { trace_id: 'deeper', agent_id: 'index', parent_trace_id: 'called' };
    await record(api, started(threadId));
    await record(server.api, started(threadId, called), checkpoint(threadId, 0, deeper));
    await record(stranger, checkpoint(threadId, 0, { trace_id: 'x', agent_id: 'evil', parent_trace_id: 'run-1' }));
    await record(stranger, checkpoint(threadId, 0, { trace_id: 'called', agent_id: 'evil' }));
    expect(await latestOf(api, threadId)).toMatchObject({ trace_id: 'run-1' });
    expect(await latestOf(api, threadId, { trace_id: 'called' })).toMatchObject({ agent_id: 'search' });
    expect(await latestOf(api, threadId, { agent_id: 'index' })).toMatchObject({ trace_id: 'deeper' });
    for (const query of queries({ agent_id: 'evil' }, { trace_id: 'x' })) {
      problemOf(await api.get(latestPath(threadId, query)), 404);
    }
    for (const query of queries({ agent_id: 'index' }, { trace_id: 'deeper' }, { agent_id: 'support' })) {
      problemOf(await stranger.get(latestPath(threadId, query)), 404);
    }
  });

  it('goes on with a run that a token for all began for its agent, and gets its own back while a sub-agent works', async () => {
    const api = await bound();
    const threadId = newThreadId();
    const sub = { trace_id: 'sub', agent_id: 'support:lookup', parent_trace_id: 'run-1' };
    await record(server.api, started(threadId));
    await record(api, checkpoint(threadId, 0), started(threadId, sub), checkpoint(threadId, 0, sub));
    for (const reader of [api, server.api]) {
      expect(await latestOf(reader, threadId)).toMatchObject({ trace_id: 'run-1', step_index: 0 });
    }
    await record(api, checkpoint(threadId, 1, { ...sub, status: 'waiting_for_approval' }));
    for (const reader of [api, server.api]) expect(await latestOf(reader, threadId)).toMatchObject({ trace_id: 'sub' });
    await record(server.api, completed(threadId, { agent_id: 'support' }));
    expect(await runStatusOf(server.api, threadId)).toBe('completed');
  });

  it('is at home in a thread where the agent process reports for its agent later than its program', async () => {
    const [api, stranger] = [await bound(), await bound('evil')];
    const threadId = newThreadId();
    await record(stranger, checkpoint(threadId, 0, { trace_id: 'x', agent_id: 'evil' }));
    await record(api, checkpoint(threadId, 0));
    await record(server.api, started(threadId));
    expect(await latestOf(server.api, threadId)).toMatchObject({ agent_id: 'support' });
    await record(stranger, checkpoint(threadId, 1, { trace_id: 'x', agent_id: 'evil' }));
    await record(api, checkpoint(threadId, 1));
    expect(await latestOf(server.api, threadId)).toMatchObject({ agent_id: 'support', step_index: 1 });
    expect(await detailOf(server.api, threadId)).toMatchObject({ runs: 2 });
  });

  it('learns from no refusal whether there is something', async () => {
    const api = await bound();
    const [theirs, nowhere] = [newThreadId(), newThreadId()];
    await record(server.api, checkpoint(theirs, 0, { agent_id: 'research' }));
    const events = (threadId: string): RunnerEvent[] => [
      { type: 'checkpoint', data: { thread_id: threadId } },
      { type: 'thread_completed', data: { thread_id: threadId } },
      completed(threadId),
      checkpoint(threadId, 0, { agent_id: 'research' }),
    ];
    for (const [index, event] of events(theirs).entries()) {
      const answers = await Promise.all(
        [event, events(nowhere)[index]].map((asked) => api.post(EVENTS, { events: [asked] })),
      );
      expect(answers[0]!.json()).toEqual(answers[1]!.json());
      expect(answers[0]!.status).toBe(400);
    }
    for (const query of queries({}, { agent_id: 'research' }, { trace_id: 'run-1' }, { wait: '1' })) {
      const answers = [theirs, nowhere].map((threadId) => api.get(latestPath(threadId, query)));
      const [known, unknown] = (await Promise.all(answers)).map((answer) => problemOf(answer, 404));
      expect({ ...known, instance: '' }).toEqual({ ...unknown, instance: '' });
    }
  });

  it("begins no run in a thread of the server's own, whether there is one or not", async () => {
    const api = await bound();
    const [theirs, nowhere] = [newThreadId('channel:a'), newThreadId('channel:b')];
    await record(server.api, checkpoint(theirs, 0, { agent_id: 'research' }));
    for (const threadId of [theirs, nowhere]) {
      for (const event of [started(threadId), checkpoint(threadId, 0), budgetWarning(threadId)]) {
        await expectRefused(api, { ...event, data: { ...event.data, agent_id: 'support' } });
      }
    }
    problemOf(await server.api.get(latestPath(nowhere)), 404);
    // Nor one that a person cancels before it begins.
    const queued_runs = [{ thread_id: nowhere, trace_id: 'queued', queued_at: '2026-11-20T09:30:00.250Z' }];
    await record(api, { type: 'heartbeat', data: { agent_id: 'support', process_id: 'process-1', queued_runs } });
    problemOf(await server.api.post(threadPath(nowhere, '/runs/queued/cancel'), {}), 404);
    // Others may have called it there: then it reports.
    await record(server.api, started(theirs, { trace_id: 'sub', parent_trace_id: 'run-1' }));
    await record(api, checkpoint(theirs, 0, { trace_id: 'sub' }));
  });
});
