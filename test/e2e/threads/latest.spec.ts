import { checkpoint, completed, conversation, metaOf, newThreadId, started } from '../../factories/events.js';
import { problemOf } from '../../support/problem.js';
import { checkpointsOf, latestOf, latestPath, ok, record } from '../../support/recording.js';
import { useSharedServer } from '../../support/shared-server.js';

const server = useSharedServer();
const child = { trace_id: 'run-1a', parent_trace_id: 'run-1', agent_id: 'researcher' };

async function etagOf(threadId: string, query: Record<string, string> = {}): Promise<string> {
  return String(ok(await server.api.get(latestPath(threadId, query))).headers.etag);
}

describe('The latest checkpoint of a thread', () => {
  it('is flat, with every field of the specification and the server’s own', async () => {
    const threadId = newThreadId();
    const event = checkpoint(threadId, 2, { parent_trace_id: 'run-0', budget_warning: true });
    await record(server.api, event);
    const latest = await latestOf(server.api, threadId);
    expect(latest).toEqual({ ...event.data, updated_at: latest.updated_at, error: null, approval: null });
    expect(latest.updated_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('is 404 for an unknown thread, and for a filter that nothing matches', async () => {
    const threadId = newThreadId();
    problemOf(await server.api.get(latestPath(threadId)), 404);
    await record(server.api, checkpoint(threadId, 0));
    problemOf(await server.api.get(latestPath(threadId, { trace_id: 'run-x' })), 404);
    problemOf(await server.api.get(latestPath(threadId, { agent_id: 'nobody' })), 404);
  });

  it('can be that of one run or one agent', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0), checkpoint(threadId, 0, child), checkpoint(threadId, 1));
    expect(await latestOf(server.api, threadId, { trace_id: 'run-1a' })).toMatchObject({ agent_id: 'researcher' });
    expect(await latestOf(server.api, threadId, { agent_id: 'researcher' })).toMatchObject({ trace_id: 'run-1a' });
    expect(await latestOf(server.api, threadId, { agent_id: 'support' })).toMatchObject({ step_index: 1 });
    problemOf(await server.api.get(latestPath(threadId, { agent_id: 'support', trace_id: 'run-1a' })), 404);
  });

  it('answers the last non-empty history where there is metadata for more, but with resume=false', async () => {
    const threadId = newThreadId();
    const waiting = { history: [], history_meta: metaOf(conversation(4)), status: 'waiting_for_approval' };
    await record(server.api, checkpoint(threadId, 0), checkpoint(threadId, 1), checkpoint(threadId, 2, waiting));
    const asked: Record<string, string>[] = [{}, { resume: 'true' }, { trace_id: 'run-1' }];
    for (const query of asked) {
      const resumed = await latestOf(server.api, threadId, query);
      expect(resumed).toMatchObject({ step_index: 2, history: conversation(4), history_meta: waiting.history_meta });
    }
    expect(await latestOf(server.api, threadId, { resume: 'false' })).toMatchObject({
      history: [],
      history_meta: waiting.history_meta,
    });
    expect((await checkpointsOf(server.api, threadId)).at(-1)).toMatchObject({ history: [] });
    const [resuming, literal] = [await etagOf(threadId), await etagOf(threadId, { resume: 'false' })];
    expect(resuming).not.toBe(literal);
  });

  it('answers what its run carried forward where it waits at its very first step', async () => {
    const threadId = newThreadId();
    const second = { trace_id: 'run-2' };
    await record(server.api, checkpoint(threadId, 0), completed(threadId), started(threadId, second));
    const waiting = { history: [], history_meta: metaOf(conversation(3)), status: 'waiting_for_approval' };
    await record(server.api, checkpoint(threadId, 0, { ...second, ...waiting }));
    expect(await latestOf(server.api, threadId)).toMatchObject({ trace_id: 'run-2', history: conversation(2) });
  });

  it('answers the last non-empty history with resume=true also where there is no metadata, and only then', async () => {
    const threadId = newThreadId();
    const waiting = { history: [], history_meta: [], status: 'waiting_for_approval' };
    await record(server.api, checkpoint(threadId, 0), checkpoint(threadId, 1), checkpoint(threadId, 2, waiting));
    expect((await latestOf(server.api, threadId)).history).toEqual([]);
    const resumed = await latestOf(server.api, threadId, { resume: 'true' });
    expect(resumed).toMatchObject({ step_index: 2, history: conversation(4), history_meta: { length: 4 } });
    expect((await latestOf(server.api, threadId, { resume: 'false' })).history).toEqual([]);
    problemOf(await server.api.get(latestPath(threadId, { resume: 'maybe' })), 400);
  });
});

describe('The ETag of the latest checkpoint', () => {
  it('answers 304 without a body while nothing has changed', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0));
    const etag = await etagOf(threadId);
    const answer = await server.api.get(latestPath(threadId), { headers: { 'if-none-match': etag } });
    expect([answer.status, answer.text, answer.headers.etag]).toEqual([304, '', etag]);
    const marked = (mark: string) => etag.replace(/"$/, `${mark}"`);
    const ofProxies = [`W/${etag}`, marked('-gzip'), marked('--gzip'), marked('-gzip-gzip'), `W/${marked('-br')}`];
    for (const list of [`"other", ${etag}`, ...ofProxies, `"other-gzip",${marked('-gzip')}`, '*']) {
      const again = await server.api.get(latestPath(threadId), { headers: { 'if-none-match': list } });
      expect([list, again.status]).toEqual([list, 304]);
    }
  });

  it('changes with a new step, a replaced step and a new status, but not with a replay', async () => {
    const threadId = newThreadId();
    const tags = new Set<string>();
    const changes = [
      started(threadId),
      checkpoint(threadId, 0),
      checkpoint(threadId, 1),
      checkpoint(threadId, 1, { history: conversation(4, ' corrected') }),
      completed(threadId),
    ];
    for (const change of changes) {
      await record(server.api, change);
      tags.add(await etagOf(threadId));
      await record(server.api, change);
      if (change.type !== 'thread_started') tags.add(await etagOf(threadId));
    }
    expect(tags.size).toBe(changes.length);
  });

  it('is that of the filtered answer', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0), checkpoint(threadId, 0, child));
    const etag = await etagOf(threadId, { trace_id: 'run-1' });
    await record(server.api, checkpoint(threadId, 1, child));
    const headers = { 'if-none-match': etag };
    expect((await server.api.get(latestPath(threadId, { trace_id: 'run-1' }), { headers })).status).toBe(304);
    expect((await server.api.get(latestPath(threadId, { trace_id: 'run-1a' }), { headers })).status).toBe(200);
  });
});

describe('Waiting for the latest checkpoint to change', () => {
  it('answers as soon as it has changed', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0));
    const headers = { 'if-none-match': await etagOf(threadId) };
    const waiting = server.api.get(latestPath(threadId, { wait: '30' }), { headers });
    await record(server.api, checkpoint(threadId, 1));
    const answer = await waiting;
    expect([answer.status, answer.json().step_index]).toEqual([200, 1]);
    expect(answer.headers.etag).toBe(await etagOf(threadId));
  });

  it('answers at once where the ETag already differs', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0));
    const begin = Date.now();
    const answer = await server.api.get(latestPath(threadId, { wait: '60' }), { headers: { 'if-none-match': '"x"' } });
    expect(answer.status).toBe(200);
    expect(Date.now() - begin).toBeLessThan(30_000);
  });

  it('ends with 304 when nothing happened, or with 200 for a client that named no ETag', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0));
    const headers = { 'if-none-match': await etagOf(threadId) };
    const begin = performance.now();
    const answers = await Promise.all([
      server.api.get(latestPath(threadId, { wait: '1' }), { headers }),
      server.api.get(latestPath(threadId, { wait: '1' })),
    ]);
    expect(answers.map((answer) => answer.status)).toEqual([304, 200]);
    expect(performance.now() - begin).toBeGreaterThan(950);
  });

  it('holds although a proxy has marked the ETag, or lists several', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0));
    const etag = await etagOf(threadId);
    const marked = etag.replace(/"$/, '-gzip"');
    const all = [
      marked,
      etag.replace(/"$/, '--gzip"'),
      `W/${etag}`,
      `W/${marked}`,
      `"other", ${etag}`,
      `"other",${marked}`,
    ];
    const begin = performance.now();
    const times = await Promise.all(
      all.map(async (list) => {
        const answer = await server.api.get(latestPath(threadId, { wait: '1' }), {
          headers: { 'if-none-match': list },
        });
        return [list, answer.status, performance.now() - begin > 950];
      }),
    );
    expect(times).toEqual(all.map((list) => [list, 304, true]));
  });

  it('is not disturbed by what happens in other threads, nor in other runs than the one that was asked for', async () => {
    const [threadId, elsewhere] = [newThreadId(), newThreadId()];
    await record(server.api, checkpoint(threadId, 0), checkpoint(elsewhere, 0));
    const headers = { 'if-none-match': await etagOf(threadId, { trace_id: 'run-1' }) };
    const waiting = server.api.get(latestPath(threadId, { trace_id: 'run-1', wait: '2' }), { headers });
    await record(server.api, checkpoint(elsewhere, 1), checkpoint(threadId, 0, child));
    expect((await waiting).status).toBe(304);
  });

  it('wakes every one of many waiting clients', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0));
    const headers = { 'if-none-match': await etagOf(threadId) };
    const waiting = Array.from({ length: 40 }, () => server.api.get(latestPath(threadId, { wait: '30' }), { headers }));
    await record(server.api, completed(threadId));
    const statuses = (await Promise.all(waiting)).map((answer) => answer.json().status);
    expect(new Set(statuses)).toEqual(new Set(['completed']));
  });

  it('costs nothing any more when the client has gone', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0));
    const abort = new AbortController();
    const waiting = server.api.get(latestPath(threadId, { wait: '60' }), { signal: abort.signal });
    abort.abort();
    await expect(waiting).rejects.toThrow();
    await record(server.api, checkpoint(threadId, 1));
    expect((await latestOf(server.api, threadId)).step_index).toBe(1);
  });

  it.each(['-1', '61', 'soon', '1.5e3', 'NaN'])('refuses to wait %j seconds', async (wait) => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0));
    const problem = problemOf(await server.api.get(latestPath(threadId, { wait })), 400);
    expect(problem.errors).toContainEqual(expect.objectContaining({ path: 'wait' }));
  });
});
