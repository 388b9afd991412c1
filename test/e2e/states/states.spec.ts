import { randomBytes } from 'node:crypto';
import { newThreadId } from '../../factories/events.js';
import { problemOf } from '../../support/problem.js';
import { ok } from '../../support/recording.js';
import {
  b64,
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

describe('A checkpoint of a graph', () => {
  it('is given back exactly as it was sent', async () => {
    const threadId = newThreadId();
    const bytes = randomBytes(100_000);
    const version = '00000000000000000000000000000002.0.5';
    const body = `{"parent_id":"c0","checkpoint":{"type":"msgpack","data":"${b64(bytes)}"},
      "metadata": {"b":1.0,"a":12345678901234567890,"a\\u0000":"\\ud800"},"values":{"__proto__":{"version":1.50,"type":"json","data":"${b64('1')}"},
      "\u00e4 \u6f22":{"version":"${version}","type":"bytes","data":""}}}`;
    const answer = await putState(server.api, threadId, 'c1', body, { ns: 'child:1|x' });
    expect(answer.status).toBe(201);
    const digests = `"digests":{"__proto__":"${digestOf('1')}","\u00e4 \u6f22":"${digestOf('')}"}`;
    expect(answer.text).toBe(`{"checkpoint_id":"c1",${digests}}`);
    const { text } = ok(await server.api.get(statePath(threadId, 'c1', { ns: 'child:1|x' })));
    expect(text).toContain('"metadata":{"b":1.0,"a":12345678901234567890,"a\\u0000":"\\ud800"}');
    expect(text).toContain(
      `"__proto__":{"version":1.50,"type":"json","digest":"${digestOf('1')}","data":"${b64('1')}"}`,
    );
    const { values, ...rest } = await stateOf(server.api, threadId, 'c1', { ns: 'child:1|x' });
    expect(values['\u00e4 \u6f22']).toEqual({ version, type: 'bytes', digest: digestOf(''), data: '' });
    expect(rest).toMatchObject({
      ...{ thread_id: threadId, agent_id: 'unknown', ns: 'child:1|x', checkpoint_id: 'c1', parent_id: 'c0' },
      ...{ checkpoint: { type: 'msgpack', data: b64(bytes) }, writes: [] },
    });
    problemOf(await server.api.get(statePath(threadId, 'c1')), 404);
    problemOf(await server.api.get(statePath(threadId)), 404);
  });

  it('once more changes nothing; another one with its id replaces it', async () => {
    const threadId = newThreadId();
    const first = { values: valuesOf({ a: 'one' }), parent_id: null };
    expect((await putState(server.api, threadId, 'c1', first)).status).toBe(201);
    expect((await putState(server.api, threadId, 'c1', first)).status).toBe(200);
    expect((await putState(server.api, threadId, 'c1', { values: valuesOf({ a: 'two' }) })).status).toBe(200);
    expect((await stateOf(server.api, threadId)).values.a!.data).toBe(b64('"two"'));
  });

  it('names values that the thread has by their digests, and no others', async () => {
    const [threadId, other] = [newThreadId(), newThreadId()];
    await putState(server.api, threadId, 'c1', { values: valuesOf({ a: 'shared', b: 'own' }) });
    const digest = digestOf('"shared"');
    const named = { version: 2, type: 'json', digest };
    expect((await putState(server.api, threadId, 'c2', { parent_id: 'c1', values: { a: named } })).status).toBe(201);
    expect((await stateOf(server.api, threadId)).values).toEqual({ a: { ...named, data: b64('"shared"') } });
    const refused = problemOf(await putState(server.api, other, 'c2', { values: { a: named } }), 409);
    expect(refused).toMatchObject({ code: 'unknown_digest', channels: ['a'], errors: [{ path: 'values.a.digest' }] });
    problemOf(await server.api.get(statePath(other)), 404);
    // Within one checkpoint, a value may be named by another one's digest.
    const both = { ...valuesOf({ a: 'shared' }), b: named };
    expect((await putState(server.api, other, 'c2', { values: both })).status).toBe(201);
  });

  it('has the writes of its tasks in the order in which they are applied, also those that came before it', async () => {
    const threadId = newThreadId();
    const write = (body: object) => putWrites(server.api, threadId, 'c1', body);
    expect((await write(writesOf('task-b', [1, 'x', 'b1'], [0, 'x', 'b0']))).status).toBe(204);
    await write({ ...writesOf('task-a', [0, 'x', 'path']), task_path: '\ud83d\ude80' });
    await write({ ...writesOf('task-a', [1, 'x', 'bmp']), task_path: '\uff61' });
    problemOf(await server.api.get(statePath(threadId)), 404);
    await putState(server.api, threadId, 'c1');
    await write(writesOf('task-b', [0, 'x', 'later'], [2, 'x', 'b2'], [-1, '__error__', 'first']));
    await write(writesOf('task-b', [-1, '__error__', 'last']));
    await write(writesOf('task-B', [0, 'x', 'B0']));
    const { writes } = await stateOf(server.api, threadId);
    expect(writes.map(({ data }) => JSON.parse(Buffer.from(data, 'base64').toString()) as string)).toEqual([
      'B0',
      'last',
      'b0',
      'b1',
      'b2',
      'bmp',
      'path',
    ]);
    expect(writes[1]).toEqual({
      task_id: 'task-b',
      task_path: '',
      idx: -1,
      channel: '__error__',
      type: 'json',
      data: b64('"last"'),
    });
  });

  it('long as it may be, is read piece by piece', async () => {
    const threadId = newThreadId();
    const [large, small] = [randomBytes(3_000_000), randomBytes(50_000)];
    const value = (data: Buffer) => ({ version: 1, type: 'bytes', data: b64(data) });
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`c${n}`, value(Buffer.from(`${n}`))]));
    const fields = {
      checkpoint: { type: 'bytes', data: b64(large) },
      values: { large: value(large), small: value(small), ...many },
    };
    expect((await putState(server.api, threadId, 'c1', fields)).status).toBe(201);
    await putWrites(server.api, threadId, 'c1', {
      task_id: 't',
      writes: [{ idx: 0, channel: 'x', type: 'b', data: b64(large) }],
    });
    const state = await stateOf(server.api, threadId);
    expect(state.checkpoint.data).toBe(b64(large));
    expect(state.values.large!.data).toBe(b64(large));
    expect(state.values.small!.data).toBe(b64(small));
    expect(Object.keys(state.values)).toHaveLength(42);
    expect(state.writes[0]!.data).toBe(b64(large));
  });
});

describe('A body that is not a checkpoint', () => {
  const good = { checkpoint: { type: 'json', data: 'e30=' }, metadata: {} };
  it.each([
    ['checkpoint.data', { ...good, checkpoint: { type: 'json', data: 'e30' } }],
    ['checkpoint.data', { ...good, checkpoint: { type: 'json', data: 'e31=' } }],
    ['checkpoint.data', { ...good, checkpoint: { type: 'json', data: 'e30=e30=' } }],
    ['checkpoint.type', { ...good, checkpoint: { type: 7, data: 'e30=' } }],
    ['checkpoint', { metadata: {} }],
    ['checkpoint', { ...good, checkpoint: [] }],
    ['metadata', { checkpoint: good.checkpoint }],
    ['metadata', { ...good, metadata: [] }],
    ['parent_id', { ...good, parent_id: 7 }],
    ['parent_id', { ...good, parent_id: 'x'.repeat(129) }],
    ['other', { ...good, other: 1 }],
    ['values', { ...good, values: [] }],
    ['values.a', { ...good, values: { a: null } }],
    ['values.a.version', { ...good, values: { a: { type: 'json', data: '' } } }],
    ['values.a.version', { ...good, values: { a: { version: {}, type: 'json', data: '' } } }],
    ['values.a.digest', { ...good, values: { a: { version: 1, type: 'json', digest: 'x' } } }],
    ['values.a.digest', { ...good, values: { a: { version: 1, type: 'json', digest: '0'.repeat(64), data: '' } } }],
    ['values.a.data', { ...good, values: { a: { version: 1, type: 'json', data: '!' } } }],
  ])('is refused, and %s named', async (path, body) => {
    const problem = problemOf(await putState(server.api, newThreadId(), 'c1', JSON.stringify(body)), 400);
    expect(problem.errors?.map((error) => error.path)).toContain(path);
  });

  it('names the beginning of a name that is too long to be told', async () => {
    const [threadId, long] = [newThreadId(), 'n'.repeat(500_000)];
    for (const fields of [
      { [long]: 1 },
      { values: { [long]: 7 } },
      { metadata: { [long]: { a: `1e${'9'.repeat(21)}` } } },
    ]) {
      const body = JSON.stringify({ ...good, ...fields }).replace(/"(1e9+)"/, '$1');
      expect(problemOf(await putState(server.api, threadId, 'c1', body), 400).errors?.[0]?.path.length).toBeLessThan(
        220,
      );
    }
  });

  it('is refused where it has more values, or writes, than one may have', async () => {
    const many = <T>(one: (n: number) => T) => Array.from({ length: 10_001 }, (_, n) => one(n));
    const values = Object.fromEntries(many((n) => [`c${n}`, null]));
    const refused = problemOf(await putState(server.api, newThreadId(), 'c1', { values }), 413);
    expect(refused).toMatchObject({ code: 'state_too_large', errors: [{ path: 'values' }] });
    const body = { task_id: 't', writes: many(() => null) };
    problemOf(await putWrites(server.api, newThreadId(), 'c1', body), 413);
  });

  it('nor writes, is refused too', async () => {
    const threadId = newThreadId();
    const faultsOf = async (body: object) =>
      problemOf(await putWrites(server.api, threadId, 'c', body), 400).errors?.map(({ path }) => path);
    expect(await faultsOf({ writes: [] })).toEqual(['task_id']);
    expect(await faultsOf({ task_id: 't', writes: [{ idx: 0.5, channel: '', type: 't', data: '' }] })).toEqual([
      'writes[0].idx',
      'writes[0].channel',
    ]);
    const twice = { idx: 0, channel: 'a', type: 't', data: '' };
    expect(await faultsOf({ task_id: 't', writes: [twice, twice] })).toEqual(['writes[1].idx']);
    for (const id of ['.', 'x'.repeat(129), '\u0001'])
      problemOf(
        await server.api.send('PUT', statePath(threadId, id), { checkpoint: good.checkpoint, metadata: {} }),
        400,
      );
  });
});

describe('The list of checkpoints', () => {
  it('has the highest ids first, page by page, before an id, of a namespace, of threads with a prefix', async () => {
    const prefix = `${newThreadId('list')}:%_`;
    const ids = ['c1', 'c10', 'c2', 'C3', '\u00e4', '\uff61', '\ud83d\ude80'];
    for (const id of ids) await putState(server.api, `${prefix}a`, id);
    for (const id of ['c1', 'c15']) await putState(server.api, `${prefix}b`, id, {}, { ns: 'sub' });
    await putState(server.api, `${prefix.replace('%', 'x')}c`, 'elsewhere');
    const all = ['\ud83d\ude80', '\uff61', '\u00e4', 'c2', 'c15', 'c10', 'c1', 'c1', 'C3'];
    for (const limit of ['1', '2', '200'])
      expect(await stateIds(server.api, { thread_prefix: prefix, limit })).toEqual(all);
    expect(await stateIds(server.api, { thread_prefix: prefix, before: 'c15' })).toEqual(['c10', 'c1', 'c1', 'C3']);
    expect(await stateIds(server.api, { thread_prefix: prefix, ns: 'sub' })).toEqual(['c15', 'c1']);
    expect(await stateIds(server.api, { thread_id: `${prefix}a`, ns: '', before: 'c10' })).toEqual(['c1', 'C3']);
    expect(await stateIds(server.api, { thread_id: prefix })).toEqual([]);
    const { checkpoint_id } = await stateOf(server.api, `${prefix}a`);
    expect(checkpoint_id).toBe(all[0]);
    problemOf(await server.api.get('/v1/runners/state?cursor=abc'), 400);
    problemOf(await server.api.get('/v1/runners/state?limit=0'), 400);
  });

  it('compares the metadata with the values of a filter, which never become a statement', async () => {
    const threadId = newThreadId();
    const odd = {
      [`a' OR '1'='1`]: 1,
      '$.b."c"]': '" OR 1=1 --',
      'e.f[0]': { g: [1.5, null, { '\u00e4': '\ud83d\ude80' }] },
    };
    await putState(server.api, threadId, 'c1', { metadata: { source: 'input', step: -1, big: 1, ...odd } });
    await putState(
      server.api,
      threadId,
      'c2',
      `{"checkpoint":{"type":"j","data":""},"metadata":{"source":"loop","step":1.0,"big":12345678901234567890,"e":{"f[0]":1}}}`,
    );
    const found = (filter: string) => stateIds(server.api, { thread_id: threadId, filter });
    expect(await found('{}')).toEqual(['c2', 'c1']);
    expect(await found('{"source":"loop"}')).toEqual(['c2']);
    expect(await found('{"step":1}')).toEqual(['c2']);
    expect(await found('{"big":12345678901234567890}')).toEqual(['c2']);
    expect(await found('{"big":12345678901234567891}')).toEqual([]);
    expect(await found(JSON.stringify(odd))).toEqual(['c1']);
    expect(await found(JSON.stringify({ ...odd, source: 'loop' }))).toEqual([]);
    for (const attack of [
      { [`x') OR 1=1 --`]: 1 },
      { [`source' OR 'a'='a`]: 'input' },
      { '$.source': 'input' },
      { source: { $ne: null } },
      { source: '%' },
      { source: null },
      { missing: null },
      { 'source"': 'input' },
      { __proto__x: 1 },
    ])
      expect(await found(JSON.stringify(attack))).toEqual([]);
    const membersOf = (count: number) =>
      JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, n) => [`m${n}`, n])));
    expect(await found(membersOf(32))).toEqual([]);
    const many = await server.api.get(`/v1/runners/state?filter=${encodeURIComponent(membersOf(33))}`);
    expect(problemOf(many, 400).errors).toEqual([{ path: 'filter', detail: 'must have at most 32 members' }]);
    for (const bad of [
      '[]',
      '1',
      '{',
      `{"a":1e${'9'.repeat(21)}}`,
      '{"a":1,"a":2}',
      `{"a":${'['.repeat(2000)}${']'.repeat(2000)}}`,
    ])
      problemOf(await server.api.get(`/v1/runners/state?filter=${encodeURIComponent(bad)}`), 400);
  });
});
