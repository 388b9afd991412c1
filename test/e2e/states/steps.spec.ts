import { checkpoint, newThreadId, type RunnerEvent } from '../../factories/events.js';
import { problemOf } from '../../support/problem.js';
import { latestOf, ok } from '../../support/recording.js';
import { useSharedServer } from '../../support/shared-server.js';
import { b64, digestOf, putState, stateOf, statePath, valuesOf } from '../../support/states.js';

const server = useSharedServer();

const META = { checkpoint: { type: 'json', data: b64('{}') }, metadata: { step: 1 } };
const write = (task_id: string, checkpoint_id = 'c0') => ({
  ...{ checkpoint_id, task_id },
  writes: [{ idx: 0, channel: 'messages', type: 'json', data: b64(task_id) }],
});
const send = (threadId: string, step: object) =>
  server.api.post(statePath(threadId, undefined, { agent_id: 'a' }), step);
const eventOf = (threadId: string, step: number, fields: object = {}): RunnerEvent =>
  checkpoint(threadId, step, { agent_id: 'a', trace_id: `run-${threadId}`, ...fields });

describe('A step of a graph', () => {
  it('stores the writes of tasks, the checkpoint and what shows it, in one request', async () => {
    const threadId = newThreadId();
    const step = {
      checkpoint: { checkpoint_id: 'c1', parent_id: 'c0', ...META, values: valuesOf({ a: 'one' }) },
      writes: [write('task-1'), write('task-2'), { ...write('task-1', 'c1'), ns: 'child:1' }],
      events: [eventOf(threadId, 0, { status: 'idle' })],
    };
    const answer = ok(await send(threadId, step));
    expect(answer.json()).toEqual({
      checkpoint: { checkpoint_id: 'c1', digests: { a: digestOf('"one"') } },
      events: { saved: 1, rejected: [] },
    });
    expect(ok(await send(threadId, step)).json()).toEqual(answer.json());
    const state = await stateOf(server.api, threadId, 'c1', { agent_id: 'a' });
    expect([state.parent_id, state.values.a!.data, state.writes]).toEqual(['c0', b64('"one"'), []]);
    await putState(server.api, threadId, 'c0', {}, { agent_id: 'a' });
    const { writes } = await stateOf(server.api, threadId, 'c0', { agent_id: 'a' });
    expect(writes.map(({ task_id }) => task_id)).toEqual(['task-1', 'task-2']);
    expect(await latestOf(server.api, threadId)).toMatchObject({ status: 'idle', step_index: 0 });
  });

  it('may have any part alone, and none', async () => {
    const threadId = newThreadId();
    for (const step of [{ events: [eventOf(threadId, 0)] }, { writes: [write('t')] }, {}, { events: [], writes: [] }]) {
      ok(await send(threadId, step));
    }
    expect(ok(await send(threadId, { checkpoint: { checkpoint_id: 'c0', ...META } })).json()).toEqual({
      checkpoint: { checkpoint_id: 'c0', digests: {} },
      events: null,
    });
    expect((await stateOf(server.api, threadId, 'c0', { agent_id: 'a' })).writes).toHaveLength(1);
  });

  it('is stored as a whole or not at all, and then nothing is shown', async () => {
    const threadId = newThreadId();
    const values = { a: { version: 1, type: 'json', digest: digestOf('nowhere') } };
    const refused = await send(threadId, {
      checkpoint: { checkpoint_id: 'c1', ...META, values },
      writes: [write('task-1', 'c1')],
      events: [eventOf(threadId, 0)],
    });
    expect(problemOf(refused, 409)).toMatchObject({ code: 'unknown_digest', channels: ['a'] });
    problemOf(await server.api.get(statePath(threadId)), 404);
    expect(problemOf(await server.api.get(`/v1/runners/threads/${threadId}/latest`), 404).code).toBe(
      'thread_not_found',
    );
    await putState(server.api, threadId, 'c1', {}, { agent_id: 'a' });
    expect((await stateOf(server.api, threadId, 'c1', { agent_id: 'a' })).writes).toEqual([]);
  });

  it('says which events were refused; the rest is stored', async () => {
    const threadId = newThreadId();
    const bad = { ...eventOf(threadId, 1), data: { thread_id: threadId, step_index: 'x' } };
    const step = { checkpoint: { checkpoint_id: 'c1', ...META } };
    const some = ok(await send(threadId, { ...step, events: [eventOf(threadId, 0), bad] }));
    expect(some.json()).toMatchObject({ events: { saved: 1, rejected: [{ index: 1, code: 'invalid_event' }] } });
    const none = ok(await send(threadId, { ...step, events: [bad] }));
    expect(none.json()).toMatchObject({
      checkpoint: { checkpoint_id: 'c1' },
      events: { saved: 0, rejected: [{ index: 0 }] },
    });
  });

  it.each([
    [{ checkpoint: { ...META } }, 'checkpoint.checkpoint_id'],
    [{ checkpoint: { checkpoint_id: 'x'.repeat(200), ...META } }, 'checkpoint.checkpoint_id'],
    [{ checkpoint: { checkpoint_id: 'c', ns: 'a\u0000', ...META } }, 'checkpoint.ns'],
    [
      { checkpoint: { checkpoint_id: 'c', ...META, checkpoint: { type: 'json', data: '!' } } },
      'checkpoint.checkpoint.data',
    ],
    [{ checkpoint: [] }, 'checkpoint'],
    [{ writes: {} }, 'writes'],
    [{ writes: [write('t'), { ...write('t') }] }, 'writes[1].task_id'],
    [
      { writes: [{ ...write('t'), writes: [{ idx: 0, channel: 'c', type: 't', data: '?' }] }] },
      'writes[0].writes[0].data',
    ],
    [{ events: {} }, 'events'],
    [{ event: [] }, 'event'],
  ])('refuses %j, and names the member', async (step, path) => {
    const { errors } = problemOf(await send(newThreadId(), step), 400) as { errors: { path: string }[] };
    expect(errors.map((one) => one.path)).toContain(path);
  });

  it('is open to the agents of the token alone', async () => {
    const made = await server.api.post('/v1/tokens', { name: 'bound', scope: 'runner', agent_ids: ['b'] });
    const { token } = made.json<{ token: string }>();
    const answer = await server.api.post(
      statePath(newThreadId(), undefined, { agent_id: 'a' }),
      { writes: [write('t')] },
      { token },
    );
    problemOf(answer, 403);
  });
});
