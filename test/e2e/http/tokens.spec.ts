import { WaystationApi } from '../../../src/client/api/waystation-api.js';
import { checkpoint, newThreadId } from '../../factories/events.js';
import type { ApiClient } from '../../support/api-client.js';
import { problemOf } from '../../support/problem.js';
import { EVENTS, latestPath, record, threadPath } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const server = useServer();

interface Minted {
  id: string;
  token: string;
}

async function mint(fields: Record<string, unknown>): Promise<Minted & { api: ApiClient }> {
  const answer = await server.api.post('/v1/tokens', fields);
  expect(answer.status).toBe(201);
  const minted = answer.json<Record<string, unknown>>() as unknown as Minted;
  return { ...minted, api: server.api.as(minted.token) };
}

describe('Tokens', () => {
  it.each([
    ['no token', null],
    ['another token', 'f'.repeat(64)],
    ['an empty token', ''],
  ])('are needed: %s is 401', async (_, token) => {
    const answer = await server.api.get('/threads', { token });
    problemOf(answer, 401);
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer/);
  });

  it.each(['Basic', 'Token', 'bearerx', ''])('are not accepted in the scheme %j', async (scheme) => {
    const headers = { authorization: `${scheme} ${server.storage.secret}`.trim() };
    problemOf(await server.api.get('/threads', { token: null, headers }), 401);
  });

  it('are not accepted from the address or a cookie', async () => {
    const { secret } = server.storage;
    problemOf(await server.api.get(`/threads?token=${secret}&access_token=${secret}`, { token: null }), 401);
    problemOf(await server.api.get('/threads', { token: null, headers: { cookie: `token=${secret}` } }), 401);
  });

  it('are shown once, when they are made', async () => {
    const { id, token } = await mint({ scope: 'runner', name: 'laptop', agent_ids: ['support'] });
    expect(token).toMatch(/^wst_[\w-]{43}$/);
    const list = await server.api.get('/v1/tokens');
    expect(list.text).not.toContain(token);
    const { items } = list.json<{ items: Record<string, unknown>[] }>();
    expect(items).toContainEqual(
      expect.objectContaining({ id, scope: 'runner', name: 'laptop', agent_ids: ['support'] }),
    );
  });

  it('that are revoked while `latest` is held get no answer but 401', async () => {
    const { id, api } = await mint({ scope: 'runner' });
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0));
    const { etag } = (await api.get(latestPath(threadId))).headers;
    const headers = { 'if-none-match': String(etag) };
    const held = api.get(latestPath(threadId, { wait: '60' }), { headers });
    const isHeld = async () => /^waystation_latest_waits_open 1$/m.test((await server.api.get('/metrics')).text);
    await waitFor('the request to be held', isHeld);
    expect((await server.api.delete(`/v1/tokens/${id}`)).status).toBe(204);
    await record(server.api, checkpoint(threadId, 1));
    problemOf(await held, 401);
  });

  it('of a runner report and resume, and do nothing else', async () => {
    const { api } = await mint({ scope: 'runner' });
    const threadId = newThreadId();
    await record(api, checkpoint(threadId, 0));
    expect((await api.get(latestPath(threadId))).status).toBe(200);
    problemOf(await api.delete(threadPath(threadId)), 403);
    problemOf(await api.get('/v1/tokens'), 403);
  });

  it('of an approver do not report', async () => {
    const { api } = await mint({ scope: 'approver' });
    problemOf(await api.post(EVENTS, { events: [checkpoint(newThreadId(), 0)] }), 403);
  });

  it('of an admin do everything', async () => {
    const { api } = await mint({ scope: 'admin' });
    const threadId = newThreadId();
    await record(api, checkpoint(threadId, 0));
    expect((await api.delete(threadPath(threadId))).status).toBe(204);
    expect((await api.get('/v1/tokens')).status).toBe(200);
  });

  it('end at once when they are revoked', async () => {
    const { id, api } = await mint({ scope: 'admin' });
    expect((await api.get('/threads')).status).toBe(200);
    expect((await server.api.delete(`/v1/tokens/${id}`)).status).toBe(204);
    problemOf(await api.get('/threads'), 401);
    problemOf(await server.api.delete(`/v1/tokens/${id}`), 404);
  });

  it('remember which token made them, and go with it where that is asked for', async () => {
    const made = async (api: ApiClient, fields: object = { scope: 'admin' }) => {
      const one = (await api.post('/v1/tokens', fields)).json<Minted & { created_by: string | null }>();
      return { ...one, api: server.api.as(one.token) };
    };
    const first = await made(server.api);
    const second = await made(first.api);
    const third = await made(second.api, { scope: 'reader' });
    const other = await made(server.api, { scope: 'reader' });
    expect([first, second, third].map(({ created_by }) => created_by)).toEqual([null, first.id, second.id]);
    const listed = (await server.api.get('/v1/tokens?limit=200')).json<{ items: (typeof first)[] }>().items;
    expect(listed.find(({ id }) => id === third.id)?.created_by).toBe(second.id);

    // A creator hidden behind an intermediate token is found too.
    expect((await server.api.delete(`/v1/tokens/${second.id}`)).status).toBe(204);
    expect((await third.api.get('/threads')).status).toBe(200);
    expect((await server.api.delete(`/v1/tokens/${first.id}?with_children=true`)).status).toBe(204);
    problemOf(await third.api.get('/threads'), 401);
    expect((await other.api.get('/threads')).status).toBe(200);
  });

  it('are revoked by the client with those that they created only on demand', async () => {
    const apiOf = (token: string) => new WaystationApi({ apiUrl: server.api.baseUrl, token });
    const admin = apiOf(server.storage.secret);
    const revoked = async (options?: { withChildren: boolean }) => {
      const parent = await admin.tokens.create({ scope: 'admin' });
      const child = await apiOf(parent.token).tokens.create({ scope: 'admin' });
      await admin.tokens.revoke(parent.id, options);
      return apiOf(child.token).tokens.self();
    };
    expect(await revoked()).toMatchObject({ scope: 'admin' });
    await expect(revoked({ withChildren: true })).rejects.toMatchObject({ status: 401 });
  });

  it('that others are creating at that moment are revoked with them', async () => {
    for (let round = 0; round < 10; round++) {
      const { id, api } = await mint({ scope: 'admin' });
      const orders = Array.from({ length: 12 }, () => api.post('/v1/tokens', { scope: 'admin' }));
      const revoked = server.api.delete(`/v1/tokens/${id}?with_children=true`);
      const answers = await Promise.all(orders);
      expect((await revoked).status).toBe(204);
      for (const answer of answers) {
        if (answer.status !== 201) problemOf(answer, 401);
        else problemOf(await server.api.as(answer.json<Minted>().token).get('/v1/tokens'), 401);
      }
    }
  });

  it('are not revoked with others by a mistyped query, nor by a runner', async () => {
    const { id, api } = await mint({ scope: 'admin' });
    const runner = await mint({ scope: 'runner' });
    for (const query of ['with_children=yes', 'with_childs=true', 'with_children=true&with_children=true']) {
      problemOf(await server.api.delete(`/v1/tokens/${id}?${query}`), 400);
    }
    problemOf(await runner.api.delete(`/v1/tokens/${id}?with_children=true`), 404);
    expect((await api.get('/threads')).status).toBe(200);
  });

  it('end when their time is over', async () => {
    const { api } = await mint({ scope: 'admin', expires_in_seconds: 1 });
    await waitFor('the token to expire', async () => (await api.get('/threads')).status === 401);
  });

  it.each([
    ['scope', { scope: 'root' }],
    ['scope', {}],
    ['agent_ids', { scope: 'runner', agent_ids: 'support' }],
    ['agent_ids', { scope: 'runner', agent_ids: ['a\ud800'] }],
    ['expires_in_seconds', { scope: 'runner', expires_in_seconds: -1 }],
    ['expires_in_seconds', { scope: 'runner', expires_in_seconds: 'soon' }],
    ['color', { scope: 'runner', color: 'red' }],
    ['run', { scope: 'reader', run: { thread_id: 't', trace_id: 'r', fence: 1 } }],
    ['run', { scope: 'runner', run: 'r' }],
    ['run', { scope: 'runner', run: [] }],
    ['run.thread_id', { scope: 'runner', run: { trace_id: 'r', fence: 1 } }],
    ['run.thread_id', { scope: 'runner', run: { thread_id: '..', trace_id: 'r', fence: 1 } }],
    ['run.trace_id', { scope: 'runner', run: { thread_id: 't', trace_id: 'a\u0000', fence: 1 } }],
    ['run.fence', { scope: 'runner', run: { thread_id: 't', trace_id: 'r' } }],
    ['run.fence', { scope: 'runner', run: { thread_id: 't', trace_id: 'r', fence: 1e300 } }],
    ['run.fence', { scope: 'runner', run: { thread_id: 't', trace_id: 'r', fence: '7' } }],
  ])('are refused with a word about %s', async (field, body) => {
    const problem = problemOf(await server.api.post('/v1/tokens', body), 400);
    expect(JSON.stringify(problem.errors)).toContain(field);
  });
});
