import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { checkpoint, newThreadId, started } from '../../factories/events.js';
import { problemOf } from '../../support/problem.js';
import { EVENTS, latestOf, latestPath } from '../../support/recording.js';
import { useSharedServer } from '../../support/shared-server.js';

const server = useSharedServer();

describe('The answer to a batch of events', () => {
  it.each(['/v1/runners/events', '/internal/v1/runners/events'])('is the same at %s', async (path) => {
    const threadId = newThreadId();
    const answer = await server.api.post(path, { events: [started(threadId), checkpoint(threadId, 0)] });
    expect(answer.status).toBe(200);
    expect(answer.json()).toEqual({ saved: 2, rejected: [] });
    expect(await latestOf(server.api, threadId)).toMatchObject({ step_index: 0, history: { length: 2 } });
  });

  it('is 200 with nothing saved for an empty batch', async () => {
    const answer = await server.api.post(EVENTS, { events: [] });
    expect([answer.status, answer.json()]).toEqual([200, { saved: 0, rejected: [] }]);
  });

  it('is 207 when some events are bad: the good ones are stored, the bad ones are named', async () => {
    const threadId = newThreadId();
    const bad = checkpoint(threadId, 1, { step_index: 'one' });
    const answer = await server.api.post(EVENTS, { events: [started(threadId), bad, checkpoint(threadId, 2)] });
    expect(answer.status).toBe(207);
    expect(answer.json()).toEqual({
      saved: 2,
      rejected: [
        { index: 1, type: 'checkpoint', code: expect.any(String), detail: expect.stringContaining('step_index') },
      ],
    });
    expect((await latestOf(server.api, threadId)).step_index).toBe(2);
  });

  it('is 400 when there were events and none could be saved', async () => {
    const threadId = newThreadId();
    const answer = await server.api.post(EVENTS, { events: [checkpoint(threadId, 0, { history: 'none' })] });
    const problem = problemOf(answer, 400);
    expect(JSON.stringify(problem)).toContain('history');
    problemOf(await server.api.get(latestPath(threadId)), 404);
  });

  it.each([
    ['an array', '[]'],
    ['a string', '"events"'],
    ['null', 'null'],
    ['no events member', '{}'],
    ['events that are no array', '{"events":{}}'],
    ['events that are null', '{"events":null}'],
    ['broken JSON', '{"events":['],
    ['an empty body', ''],
  ])('is 400 for an envelope that is %s', async (_, body) => {
    problemOf(await server.api.post(EVENTS, body), 400);
  });

  it.each([
    ['null', null],
    ['a number', 7],
    ['an event without type', { data: { thread_id: 'x' } }],
    ['an empty type', { type: '', data: { thread_id: 'x' } }],
    ['a type that is a number', { type: 3, data: { thread_id: 'x' } }],
    ['no data', { type: 'checkpoint' }],
    ['data that is an array', { type: 'checkpoint', data: [] }],
    ['data that is null', { type: 'checkpoint', data: null }],
  ])('lists %s among the rejected events', async (_, bad) => {
    const answer = await server.api.post(EVENTS, { events: [bad, started(newThreadId())] });
    expect(answer.status).toBe(207);
    expect(answer.json()).toMatchObject({ saved: 1, rejected: [{ index: 0, detail: expect.any(String) }] });
  });

  it('is 413 for a body over the limit, also where it is only big once it is decompressed', async () => {
    const big = Buffer.alloc(33 * 1024 * 1024, ' ');
    problemOf(await server.api.post(EVENTS, big), 413);
    const headers = { 'content-encoding': 'gzip' };
    problemOf(await server.api.post(EVENTS, gzipSync(big), { headers }), 413);
  });

  it('is 413 for more events than a batch may have', async () => {
    const events = Array.from({ length: 1001 }, () => ({ type: 'noted', data: { thread_id: 'too-many' } }));
    problemOf(await server.api.post(EVENTS, { events }), 413);
    problemOf(await server.api.get(latestPath('too-many')), 404);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/xml'])(
    'is 415 for the content type %s',
    async (type) => {
      problemOf(await server.api.post(EVENTS, '{"events":[]}', { headers: { 'content-type': type } }), 415);
    },
  );

  it('is 415 for a content encoding that nobody knows', async () => {
    problemOf(await server.api.post(EVENTS, '{"events":[]}', { headers: { 'content-encoding': 'zstd2' } }), 415);
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('is the usual one for a body in %s', async (encoding, compress) => {
    const threadId = newThreadId();
    const body = compress(Buffer.from(JSON.stringify({ events: [checkpoint(threadId, 0)] })));
    const answer = await server.api.post(EVENTS, body, { headers: { 'content-encoding': encoding } });
    expect([answer.status, answer.json()]).toEqual([200, { saved: 1, rejected: [] }]);
    expect((await latestOf(server.api, threadId)).history).toHaveLength(2);
  });

  it('is 401 before the body is read', async () => {
    const broken = Buffer.alloc(64, '{');
    problemOf(await server.api.post(EVENTS, broken, { token: null }), 401);
    problemOf(await server.api.post(EVENTS, broken, { token: 'wrong' }), 401);
  });
});
