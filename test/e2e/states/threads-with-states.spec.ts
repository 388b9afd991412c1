import { checkpoint, newThreadId } from '../../factories/events.js';
import type { ApiClient } from '../../support/api-client.js';
import { problemOf } from '../../support/problem.js';
import { listOf, ok, record, threadPath } from '../../support/recording.js';
import {
  b64,
  deleteStates,
  digestOf,
  putState,
  putWrites,
  stateIds,
  stateOf,
  statePath,
  valuesOf,
  writesOf,
} from '../../support/states.js';
import { useSharedServer } from '../../support/shared-server.js';

const server = useSharedServer();

async function tokenFor(...agentIds: string[]): Promise<ApiClient> {
  const made = await server.api.post('/v1/tokens', { scope: 'runner', agent_ids: agentIds });
  return server.api.as(made.json<{ token: string }>().token);
}

describe('The states of a thread', () => {
  it('are those of the agents of a token that is bound, and none of others', async () => {
    const threadId = newThreadId();
    const [a, b, both] = [await tokenFor('a'), await tokenFor('b'), await tokenFor('a', 'b')];
    const secret = { values: valuesOf({ x: 'secret of a' }) };
    expect((await putState(a, threadId, 'c1', secret)).status).toBe(201);
    await putWrites(a, threadId, 'c1', writesOf('t', [0, 'x', 'of a']));
    problemOf(await b.get(statePath(threadId, 'c1')), 404);
    expect(await stateIds(b, { thread_id: threadId })).toEqual([]);
    // Neither the id nor the digest reveals whether another agent has it.
    const named = { values: { x: { version: 1, type: 'json', digest: digestOf('"secret of a"') } } };
    problemOf(await putState(b, threadId, 'c1', named), 409);
    expect((await putState(b, threadId, 'c1', { values: valuesOf({ x: 'of b' }) })).status).toBe(201);
    expect((await stateOf(b, threadId)).writes).toEqual([]);
    expect((await stateOf(a, threadId)).values.x!.data).toBe(b64('"secret of a"'));
    expect((await stateOf(server.api, threadId, 'c1', { agent_id: 'b' })).agent_id).toBe('b');
    expect(await stateIds(both, { thread_id: threadId })).toEqual(['c1', 'c1']);
    problemOf(await putState(a, threadId, 'c2', {}, { agent_id: 'b' }), 403);
    problemOf(await putState(both, threadId, 'c2'), 403);
    expect((await putState(a, threadId, 'c2', {}, { agent_id: 'a:sub' })).status).toBe(201);
    expect((await b.delete(statePath(threadId))).status).toBe(204);
    expect(await stateIds(server.api, { thread_id: threadId })).toEqual(['c2', 'c1']);
    problemOf(await b.get(statePath(threadId)), 404);
  });

  it('belong to the whole name of an agent, however much of it others share', async () => {
    const threadId = newThreadId();
    const [alpha, beta, lead] = [await tokenFor('team:alpha'), await tokenFor('team:beta'), await tokenFor('team')];
    const put = (api: ApiClient, text: string) => putState(api, threadId, 'c1', { values: valuesOf({ x: text }) });
    expect((await put(alpha, 'of alpha')).status).toBe(201);
    await putWrites(alpha, threadId, 'c1', writesOf('t', [-1, 'x', 'of alpha']));
    problemOf(await beta.get(statePath(threadId, 'c1')), 404);
    problemOf(await beta.get(statePath(threadId, 'c1', { agent_id: 'team:alpha' })), 404);
    expect(await stateIds(beta, { thread_id: threadId })).toEqual([]);
    const named = { values: { x: { version: 1, type: 'json', digest: digestOf('"of alpha"') } } };
    problemOf(await putState(beta, threadId, 'c1', named), 409);
    expect((await put(beta, 'of beta')).status).toBe(201);
    await putWrites(beta, threadId, 'c1', writesOf('t', [-1, 'x', 'of beta']));
    const theirs = await stateOf(alpha, threadId);
    expect([theirs.agent_id, theirs.values.x!.data]).toEqual(['team:alpha', b64('"of alpha"')]);
    expect(theirs.writes.map(({ data }) => data)).toEqual([b64('"of alpha"')]);
    expect(await stateIds(lead, { thread_id: threadId })).toEqual(['c1', 'c1']);
    const refused = problemOf(await beta.delete(statePath(threadId, undefined, { agent_id: 'team:alpha' })), 403);
    expect(refused.code).toBe('agent_not_allowed');
    expect((await beta.delete(statePath(threadId))).status).toBe(204);
    expect(await stateOf(alpha, threadId)).toEqual(theirs);
  });

  it('of one agent can be deleted alone', async () => {
    const threadId = newThreadId();
    for (const agent_id of ['a', 'a:sub', 'b']) {
      await putState(server.api, threadId, 'c', { values: valuesOf({ x: 'same' }) }, { agent_id });
      await putWrites(server.api, threadId, 'c', writesOf('t', [0, 'x', agent_id]), { agent_id });
    }
    expect((await server.api.delete(statePath(threadId, undefined, { agent_id: 'a' }))).status).toBe(204);
    problemOf(await server.api.get(statePath(threadId, 'c', { agent_id: 'a' })), 404);
    for (const agent_id of ['a:sub', 'b']) {
      const { writes, values } = await stateOf(server.api, threadId, 'c', { agent_id });
      expect([writes.length, values.x!.data]).toEqual([1, b64('"same"')]);
    }
    for (const query of [{ agent_id: '\0' }, { agent_id: '' }])
      problemOf(await server.api.delete(statePath(threadId, undefined, query)), 400);
    problemOf(await server.api.delete(statePath('\0')), 400);
  });

  it('are deleted alone, or with the thread', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0));
    const fields = { values: valuesOf({ a: 'one' }) };
    const fill = async () => {
      await putWrites(server.api, threadId, 'c1', writesOf('t', [0, 'a', 1]));
      await putState(server.api, threadId, 'c1', fields);
    };
    await fill();
    expect((await server.api.delete(statePath(threadId))).status).toBe(204);
    expect((await server.api.delete(statePath(threadId))).status).toBe(204);
    problemOf(await server.api.get(statePath(threadId, 'c1')), 404);
    ok(await server.api.get(threadPath(threadId)));
    const named = { values: { a: { version: 1, type: 'json', digest: digestOf('"one"') } } };
    problemOf(await putState(server.api, threadId, 'c1', named), 409);
    await fill();
    expect((await server.api.delete(threadPath(threadId))).status).toBe(204);
    expect(await stateIds(server.api, { thread_id: threadId })).toEqual([]);
    await putState(server.api, threadId, 'c1', fields);
    expect((await stateOf(server.api, threadId)).writes).toEqual([]);
  });

  it('are deleted one by one, with their writes and with the values that none has any more', async () => {
    const threadId = newThreadId();
    const put = (id: string, values: object, ns = '') => putState(server.api, threadId, id, { values }, { ns });
    for (const id of ['c1', 'c2', 'c3']) {
      await put(id, valuesOf({ same: 'all', own: id }));
      await putWrites(server.api, threadId, id, writesOf('t', [0, 'x', id]));
    }
    await put('c1', valuesOf({ sub: 'sub' }), 'sub');
    await put('c3', valuesOf({ same: 'all', own: 'replaced' }));
    const whole = await stateOf(server.api, threadId, 'c3');
    const names = [{ checkpoint_id: 'c1' }, { checkpoint_id: 'c2', ns: '' }, { checkpoint_id: 'c9' }];
    expect((await deleteStates(server.api, threadId, names)).status).toBe(204);
    expect((await deleteStates(server.api, threadId, names)).status).toBe(204);
    expect(await stateIds(server.api, { thread_id: threadId })).toEqual(['c3', 'c1']);
    expect(await stateOf(server.api, threadId, 'c3')).toEqual(whole);
    // A value that only one checkpoint uses is deleted with it; so each is named once.
    const stored: string[] = [];
    for (const text of ['all', 'sub', 'replaced', 'c1', 'c2', 'c3']) {
      const { status } = await put(`d-${text}`, { own: { version: 1, type: 'json', digest: digestOf(`"${text}"`) } });
      if (status === 201) stored.push(text);
    }
    expect(stored).toEqual(['all', 'sub', 'replaced']);
    // Their writes were deleted with them.
    await put('c1', {});
    expect((await stateOf(server.api, threadId, 'c1')).writes).toEqual([]);
    expect((await deleteStates(server.api, newThreadId(), names)).status).toBe(204);
    expect((await deleteStates(server.api, threadId, [])).status).toBe(204);
  });

  it('leave no values behind that a replaced one had, but for those that another names by then', async () => {
    const threadId = newThreadId();
    const put = (id: string, values: object) => putState(server.api, threadId, id, { values });
    const named = (text: string) => ({ own: { version: 1, type: 'json', digest: digestOf(`"${text}"`) } });
    await put('c1', valuesOf({ a: 'one', b: 'two', c: 'three' }));
    await put('c1', valuesOf({ a: 'other' }));
    expect((await put('c2', named('two'))).status).toBe(201);
    // None of these exists; leftovers from before are removed all the same.
    expect((await deleteStates(server.api, threadId, [{ checkpoint_id: 'c9' }])).status).toBe(204);
    for (const text of ['one', 'three']) problemOf(await put('c3', named(text)), 409);
    expect((await stateOf(server.api, threadId, 'c2')).values.own!.data).toBe(b64('"two"'));
    expect((await stateOf(server.api, threadId, 'c1')).values.a!.data).toBe(b64('"other"'));
  });

  it('are deleted one by one only by those who speak for their agent', async () => {
    const threadId = newThreadId();
    const [a, b, both] = [await tokenFor('a'), await tokenFor('b'), await tokenFor('a', 'b')];
    const named = [{ checkpoint_id: 'c' }];
    const fill = async () => {
      for (const [api, agent_id] of [
        [a, 'a'],
        [a, 'a:sub'],
        [b, 'b'],
      ] as const)
        await putState(api, threadId, 'c', { values: valuesOf({ x: 'same' }) }, { agent_id });
    };
    const agents = async () => {
      const { text } = ok(await server.api.get(`/v1/runners/state/index?thread_id=${threadId}`));
      return (JSON.parse(text) as { items: { agent_id: string }[] }).items.map(({ agent_id }) => agent_id).sort();
    };
    await fill();
    problemOf(await deleteStates(a, threadId, named, { agent_id: 'b' }), 403);
    expect((await deleteStates(a, threadId, named, { agent_id: 'a' })).status).toBe(204);
    expect(await agents()).toEqual(['a:sub', 'b']);
    expect((await stateOf(b, threadId)).values.x!.data).toBe(b64('"same"'));
    await fill();
    expect((await deleteStates(a, threadId, named)).status).toBe(204);
    expect(await agents()).toEqual(['b']);
    await fill();
    expect((await deleteStates(both, threadId, named)).status).toBe(204);
    expect(await agents()).toEqual([]);
  });

  it.each([
    ['checkpoints', {}],
    ['checkpoints', { checkpoints: {} }],
    ['checkpoints', { checkpoints: null }],
    ['checkpoints', { checkpoints: ['c'] }],
    ['checkpoints', { checkpoints: [null] }],
    ['checkpoints', { checkpoints: Array.from({ length: 1001 }, () => ({ checkpoint_id: 'c' })) }],
    ['checkpoints[0].checkpoint_id', { checkpoints: [{}] }],
    ['checkpoints[1].checkpoint_id', { checkpoints: [{ checkpoint_id: 'c' }, { checkpoint_id: 7 }] }],
    ['checkpoints[0].checkpoint_id', { checkpoints: [{ checkpoint_id: 'x'.repeat(129) }] }],
    ['checkpoints[0].checkpoint_id', { checkpoints: [{ checkpoint_id: null }] }],
    ['checkpoints[0].ns', { checkpoints: [{ checkpoint_id: 'c', ns: 7 }] }],
    ['checkpoints[0].ns', { checkpoints: [{ checkpoint_id: 'c', ns: null }] }],
    ['checkpoints[0].ns', { checkpoints: [{ checkpoint_id: 'c', ns: '\0' }] }],
    ['checkpoints[0].other', { checkpoints: [{ checkpoint_id: 'c', other: 1 }] }],
  ])('are not deleted where %s is wrong', async (path, body) => {
    const refused = problemOf(await server.api.post(statePath(newThreadId(), undefined, {}, '/delete'), body), 400);
    expect(refused.errors?.map((error) => error.path)).toContain(path);
  });

  it('are listed without their data', async () => {
    const threadId = newThreadId();
    for (const id of ['c1', 'c2', 'c3'])
      await putState(server.api, threadId, id, { values: valuesOf({ a: id, b: 1 }), parent_id: 'p' }, { ns: 'x' });
    await putState(
      server.api,
      threadId,
      'c4',
      `{"checkpoint":{"type":"j","data":""},"metadata":{"run_id":"r", "n":1.0}}`,
    );
    const page = async (query: string) =>
      ok(await server.api.get(`/v1/runners/state/index?thread_id=${threadId}&${query}`));
    const names = { thread_id: threadId, agent_id: 'unknown' };
    const first = await page('limit=2');
    expect(first.text).toContain('"metadata":{"run_id":"r", "n":1.0}');
    const { items, next_cursor } = first.json<{ items: object[]; next_cursor: string }>();
    expect(items).toEqual([
      { ...names, ns: '', checkpoint_id: 'c4', parent_id: null, metadata: { run_id: 'r', n: 1 }, channels: [] },
      { ...names, ns: 'x', checkpoint_id: 'c3', parent_id: 'p', metadata: { source: 'loop' }, channels: ['a', 'b'] },
    ]);
    const rest = (await page(`limit=2&cursor=${next_cursor}`)).json<{ items: object[]; next_cursor: null }>();
    expect(rest).toMatchObject({ items: [{ checkpoint_id: 'c2' }, { checkpoint_id: 'c1' }], next_cursor: null });
    const filter = encodeURIComponent('{"run_id":"r"}');
    expect((await page(`filter=${filter}`)).json()).toMatchObject({ items: [{ checkpoint_id: 'c4' }] });
  });

  it('alone do not make a thread that people see', async () => {
    const threadId = newThreadId();
    await putState(server.api, threadId, 'c1');
    expect(await listOf(server.api, { q: threadId })).toMatchObject({ items: [] });
    problemOf(await server.api.get(threadPath(threadId)), 404);
  });

  it('travel with it in an export', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0));
    for (const id of ['c1', 'c2'])
      await putState(server.api, threadId, id, { values: valuesOf({ a: 'one', id }) }, { ns: 'x' });
    await putWrites(server.api, threadId, 'c2', writesOf('t', [0, 'a', { b: "it's" }]), { ns: 'x' });
    const exported = async (id: string) => ok(await server.api.get(`/v1/threads/${id}/export`)).text;
    const text = await exported(threadId);
    const lines = { headers: { 'content-type': 'application/x-ndjson' } };
    const copy = `${threadId}-copy`;
    const imported = await server.api.post(`/v1/threads/import?as=${copy}`, text, lines);
    expect([imported.status, imported.json().detail]).toEqual([201, undefined]);
    for (const id of ['c1', 'c2']) {
      const before = await stateOf(server.api, threadId, id, { ns: 'x' });
      expect(await stateOf(server.api, copy, id, { ns: 'x' })).toEqual({ ...before, thread_id: copy });
    }
    // A value that both have is stored once, in the copy too.
    for (const lines of [text, await exported(copy)]) expect(lines.split(b64('"one"'))).toHaveLength(2);
    await putState(server.api, copy, 'c1', { values: valuesOf({ a: 'two' }) }, { ns: 'x' });
    expect((await stateOf(server.api, copy, 'c2', { ns: 'x' })).values.a!.data).toBe(b64('"one"'));
  });
});
