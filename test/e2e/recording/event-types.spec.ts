import { budgetWarning, checkpoint, newThreadId, started, type RunnerEvent } from '../../factories/events.js';
import { EventStream } from '../../support/event-stream.js';
import { problemOf } from '../../support/problem.js';
import {
  checkpointsOf,
  detailOf,
  EVENTS,
  expectUnchangedBy,
  latestOf,
  latestPath,
  listOf,
  record,
  snapshotOf,
  threadPath,
} from '../../support/recording.js';
import { useSharedServer } from '../../support/shared-server.js';

const server = useSharedServer();

function unknown(threadId: string, fields: Record<string, unknown> = {}): RunnerEvent {
  return { type: 'tool_installed', data: { thread_id: threadId, tool: 'grep', ...fields } };
}

async function logsOf(threadId: string): Promise<Record<string, unknown>[]> {
  return ((await detailOf(server.api, threadId)) as { logs: Record<string, unknown>[] }).logs;
}

async function runsOf(threadId: string): Promise<Record<string, unknown>[]> {
  return ((await detailOf(server.api, threadId)) as { run_list: Record<string, unknown>[] }).run_list;
}

describe('A thread of which only events of unknown types are known', () => {
  it('is nowhere to be seen until a run begins, and then shows them among its logs', async () => {
    const threadId = newThreadId();
    const before = await listOf(server.api, { count: 'true', limit: '1' });
    await record(server.api, unknown(threadId, { agent_id: 'installer', trace_id: 'nobody' }), budgetWarning(threadId));
    await record(server.api, unknown(threadId, { agent_id: 'installer', trace_id: 'nobody' }));
    for (const path of [threadPath(threadId), threadPath(threadId, '/checkpoints'), threadPath(threadId, '/stream')]) {
      problemOf(await server.api.get(path), 404);
    }
    problemOf(await server.api.get(latestPath(threadId)), 404);
    const filters: Record<string, string>[] = [{}, { sort: 'started_at' }, { status: 'in_progress' }];
    for (const filter of filters) {
      const query = { ...filter, q: threadId };
      expect((await listOf(server.api, query)).items).toEqual([]);
    }
    expect((await listOf(server.api, { count: 'true', limit: '1' })).total).toBe(before.total);
    await record(server.api, started(threadId), checkpoint(threadId, 0));
    expect(await detailOf(server.api, threadId)).toMatchObject({ agents: ['support'], runs: 1, status: 'in_progress' });
    expect((await listOf(server.api, { q: threadId })).items).toHaveLength(1);
    const events = (await logsOf(threadId)).filter(({ kind }) => kind === 'event');
    expect(events).toMatchObject([
      { level: 'info', agent_id: 'installer', trace_id: 'nobody' },
      { level: 'warn', trace_id: 'run-1' },
    ]);
  });

  it('can be deleted', async () => {
    const threadId = newThreadId();
    await record(server.api, unknown(threadId));
    expect((await server.api.delete(threadPath(threadId))).status).toBe(204);
    expect((await server.api.delete(threadPath(threadId))).status).toBe(404);
  });
});

describe('An event of an unknown type', () => {
  it('begins no run and means none for the event behind it', async () => {
    const threadId = newThreadId();
    const other = { trace_id: 'another', agent_id: 'other' };
    await record(
      server.api,
      checkpoint(threadId, 0),
      unknown(threadId, other),
      checkpoint(threadId, 1, { trace_id: null }),
    );
    expect(await runsOf(threadId)).toMatchObject([{ trace_id: 'run-1', agent_id: 'support', steps: 2 }]);
    expect(await detailOf(server.api, threadId)).toMatchObject({ agents: ['support'] });
  });

  it('is told to those who follow the thread', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0));
    const stream = await EventStream.open(server.api, threadPath(threadId, '/stream'));
    await stream.until('the beginning', ({ seen }) => seen.length > 0);
    await record(server.api, unknown(threadId, { agent_id: 'installer', trace_id: 'nobody' }));
    await stream.until('the event', ({ seen }) => seen.at(-1)?.event === 'log');
    stream.close();
    expect(JSON.parse(stream.seen.at(-1)!.data)).toMatchObject({ agent_id: 'installer', kind: 'event' });
  });

  it('is named in the answer where it is like a known one, and kept', async () => {
    const threadId = newThreadId();
    const slip = { type: 'checkpont', data: { thread_id: threadId, step_index: 1 } };
    const bad = { type: 'checkpoint', data: { thread_id: threadId, step_index: 'x' } };
    const events = [checkpoint(threadId, 0), slip, unknown(threadId)];
    const warning = { index: 1, detail: expect.stringMatching(/checkpont.*checkpoint/) as string };
    const answer = await server.api.post(EVENTS, { events });
    expect([answer.status, answer.json()]).toEqual([200, { saved: 3, rejected: [], warnings: [warning] }]);
    const mixed = await server.api.post(EVENTS, { events: [...events, bad] });
    expect([mixed.status, mixed.json()]).toMatchObject([
      207,
      { saved: 3, rejected: [{ index: 3 }], warnings: [warning] },
    ]);
    expect(await checkpointsOf(server.api, threadId)).toHaveLength(1);
    expect(await logsOf(threadId)).toContainEqual(
      expect.objectContaining({ message: expect.stringContaining('checkpont') as string }),
    );
  });
});

describe.each(['workflow', 'team'])('The events of a %s', (group) => {
  const event = (threadId: string, what: string, fields: Record<string, unknown> = {}): RunnerEvent => ({
    type: `${group}_${what}`,
    data: { thread_id: threadId, name: 'onboarding', ...fields },
  });
  const agent = `${group}:onboarding`;

  it('begin and end a run, with a trace and without', async () => {
    for (const ids of [{}, { trace_id: 'group-1' }, { trace_id: '', agent_id: 'lead' }]) {
      const threadId = newThreadId();
      await record(server.api, event(threadId, 'started', ids));
      expect(await runsOf(threadId)).toMatchObject([{ agent_id: agent, status: 'in_progress' }]);
      await record(server.api, event(threadId, 'completed', ids));
      const run = { trace_id: ids.trace_id === 'group-1' ? 'group-1' : agent, agent_id: agent, status: 'completed' };
      expect(await runsOf(threadId)).toMatchObject([run]);
      await expectUnchangedBy(server.api, threadId, event(threadId, 'completed', ids));
    }
  });

  it('tell of its failure', async () => {
    const threadId = newThreadId();
    await record(server.api, event(threadId, 'started'), event(threadId, 'failed', { error: { code: 7 } }));
    expect(await latestOf(server.api, threadId)).toMatchObject({
      status: 'error',
      error: { code: 7 },
      agent_id: agent,
    });
  });

  it('stand beside the runs of its agents, and change nothing when they come twice', async () => {
    const threadId = newThreadId();
    const member = { parent_trace_id: agent };
    const batch = [
      event(threadId, 'started'),
      started(threadId, member),
      checkpoint(threadId, 0, member),
      { type: 'thread_completed', data: { thread_id: threadId, trace_id: 'run-1' } },
      event(threadId, 'completed'),
    ];
    await record(server.api, ...batch);
    const before = await snapshotOf(server.api, threadId);
    expect(await runsOf(threadId)).toMatchObject([
      { agent_id: agent, status: 'completed' },
      { agent_id: 'support', status: 'completed', parent_trace_id: agent },
    ]);
    await record(server.api, ...batch);
    const timeless = (snapshot: unknown) =>
      JSON.parse(
        JSON.stringify(snapshot, (key, value: unknown) =>
          key === 'updated_at' || key === 'duration_ms' ? undefined : value,
        ),
      ) as unknown;
    expect(timeless(await snapshotOf(server.api, threadId))).toEqual(timeless(before));
  });

  it('are refused with a name that can be none', async () => {
    const answer = await server.api.post(EVENTS, {
      events: [event(newThreadId(), 'started', { name: 'x'.repeat(600) })],
    });
    expect(JSON.stringify(problemOf(answer, 400))).toContain('data.name');
  });
});
