import { readFileSync } from 'node:fs';
import { checkpoint, completed, started } from '../../factories/events.js';
import { newRun, waiting, type RunIds } from '../../factories/waiting.js';
import type { ApiClient } from '../../support/api-client.js';
import { claimed, settled } from '../../support/effects.js';
import { EventStream } from '../../support/event-stream.js';
import { problemOf } from '../../support/problem.js';
import { ok, record, threadPath, type Page } from '../../support/recording.js';
import { putState, putWrites, writesOf } from '../../support/states.js';
import { useServer } from '../../support/test-server.js';

/** What each route shows a reader that is bound to agents; a new route for readers needs a line here. */
const SIGHT: Record<string, 'a thread' | 'its own' | 'refused'> = {
  'GET /threads/{thread_id}': 'a thread',
  'GET /threads/{thread_id}/checkpoints': 'a thread',
  'GET /threads/{thread_id}/steps': 'a thread',
  'GET /threads/{thread_id}/messages': 'a thread',
  'GET /threads/{thread_id}/stream': 'a thread',
  'GET /v1/threads/{thread_id}/export': 'a thread',
  'GET /v1/runners/threads/{thread_id}/latest': 'a thread',
  'GET /v1/runners/threads/{thread_id}/effects': 'a thread',
  'GET /v1/runners/threads/{thread_id}/effects/{key}': 'a thread',
  'GET /threads': 'its own',
  'GET /v1/threads/stream': 'its own',
  'GET /approvals': 'its own',
  'GET /approvals/stream': 'its own',
  'GET /approvals/{trace_id}/{step}': 'its own',
  'GET /v1/effects': 'its own',
  'GET /v1/agents': 'its own',
  'GET /v1/tokens/self': 'its own',
  // For the console, whose session sees the same.
  'POST /v1/console/codes': 'its own',
  'GET /v1/console/session': 'its own',
  'DELETE /v1/console/session': 'its own',
};
const SECRET = 'only for research';

const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as {
  paths: Record<string, Record<string, { description: string; security?: [] }>>;
};
/** Routes that name the scope in their description, as every route for it does. */
const FOR_READERS = Object.entries(paths).flatMap(([path, operations]) =>
  Object.entries(operations)
    .filter(([, { description, security }]) => !security && description.split('. ')[0]!.includes('`reader`'))
    .map(([method]) => `${method.toUpperCase()} ${path}`),
);
const routes = (sight: string) => FOR_READERS.filter((route) => (SIGHT[route] ?? 'refused') === sight);

const server = useServer();
let reader: ApiClient;
/**
 * Support's threads: alone; with its sub-agent; with others as a sub-agent, as a guest, by an effect, by a lease, by states; and threads of
 * others alone.
 */
let seen: RunIds[];
let hidden: RunIds[];

async function readerOf(...agentIds: string[]): Promise<ApiClient> {
  const made = await server.api.post('/v1/tokens', { scope: 'reader', agent_ids: agentIds });
  expect(made.status).toBe(201);
  return server.api.as(made.json<{ token: string }>().token);
}

/** A run that waits for a person, after an effect with an unknown outcome. */
async function recordRun(run: RunIds, agentId = 'support'): Promise<void> {
  const ids = { trace_id: run.traceId, agent_id: agentId };
  const calls = [{ name: agentId === 'support' ? 'refund' : SECRET, args: {} }];
  await record(server.api, started(run.threadId, ids), waiting(run, 0, { ...ids, pending_tool_calls: calls }));
  await claimed(server.api, run.threadId, { ...ids, key: 'k', tool: calls[0]!.name, doubt_after_seconds: 1 });
  await settled(server.api, run.threadId, { outcome: 'unknown' }, 'k');
}

const join = (run: RunIds, trace: string, agentId: string, more: object = {}) =>
  record(
    server.api,
    checkpoint(run.threadId, 0, {
      trace_id: `${run.traceId}-${trace}`,
      agent_id: agentId,
      history: [{ role: 'user', content: agentId.startsWith('support') ? 'hello' : SECRET }],
      ...more,
    }),
  );

beforeAll(async () => {
  reader = await readerOf('support');
  const [alone, withSub, mixed, guested, touched, others] = Array.from({ length: 6 }, () => newRun());
  const [leased, stated, written] = Array.from({ length: 3 }, () => newRun());
  for (const run of [alone!, withSub!, mixed!, guested!, touched!, leased!, stated!, written!]) await recordRun(run);
  await recordRun(others!, 'research');
  await join(withSub!, 'sub', 'support:lookup', { parent_trace_id: withSub!.traceId });
  await join(mixed!, 'sub', 'research', { parent_trace_id: mixed!.traceId });
  await join(guested!, 'guest', 'supporter');
  await claimed(server.api, touched!.threadId, { trace_id: 'x', agent_id: 'research', key: SECRET, tool: SECRET });
  await putState(server.api, alone!.threadId, 'c1', {}, { agent_id: 'support' });
  await putState(server.api, stated!.threadId, 'c1', {}, { agent_id: 'research' });
  await putWrites(server.api, written!.threadId, 'c1', writesOf('t', [0, 'x', SECRET]), { agent_id: 'research' });
  const lease = ({ threadId }: RunIds, claim: object) =>
    server.api.post(`/v1/runners/threads/${threadId}/runs/x/lease`, claim);
  expect((await lease(leased!, { holder: SECRET, agent_id: 'research' })).status).toBe(201);
  expect((await lease(alone!, { holder: 'somebody' })).status).toBe(201);
  for (const agent_id of ['support', 'support:lookup', 'supporter', 'research']) {
    await record(server.api, { type: 'heartbeat', data: { agent_id, endpoint: 'http://127.0.0.1:9/' } });
  }
  seen = [alone!, withSub!];
  hidden = [mixed!, guested!, touched!, others!, leased!, stated!, written!];
});

const addressOf = (route: string, { threadId, traceId }: RunIds) =>
  route
    .replace(/^\w+ /, '')
    .replace('{thread_id}', threadId)
    .replace('{trace_id}', traceId)
    .replace('{step}', '0')
    .replace('{key}', 'k')
    .replace(/\{\w+\}/g, 'none');

const withoutInstance = (problem: object) => ({ ...problem, instance: '' });

async function firstOf(api: ApiClient, path: string): Promise<string> {
  const stream = await EventStream.open(api, path);
  await stream.until('its beginning', (one) => one.seen.length > 0);
  stream.close();
  return JSON.stringify(stream.seen[0]);
}

describe('A token of scope reader that is bound to agents', () => {
  it('has its rule for every route that readers may call', () => {
    expect(Object.keys(SIGHT).filter((route) => !FOR_READERS.includes(route))).toEqual([]);
  });

  it.each(routes('a thread'))('reads of its threads what others read: %s', async (route) => {
    for (const run of seen) {
      const path = addressOf(route, run);
      if (route.endsWith('/stream')) expect(await firstOf(reader, path)).toBe(await firstOf(server.api, path));
      else expect(ok(await reader.get(path)).text).toBe(ok(await server.api.get(path)).text);
    }
  });

  it.each([...routes('a thread'), 'GET /approvals/{trace_id}/{step}'])(
    'is told the same of a thread in which others took part as of none at all: %s',
    async (route) => {
      const unknown = problemOf(await reader.get(addressOf(route, newRun())), 404);
      for (const run of hidden) {
        const problem = problemOf(await reader.get(addressOf(route, run)), 404);
        expect(withoutInstance(problem)).toEqual(withoutInstance(unknown));
      }
    },
  );

  it.each(routes('refused'))('is refused where nothing is of an agent: %s', async (route) => {
    const [method] = route.split(' ');
    const answer = await reader.send(method!, addressOf(route, seen[0]!), method === 'POST' ? {} : undefined);
    expect(problemOf(answer, 403)).toMatchObject({ code: 'wrong_scope', detail: expect.stringContaining('bound') });
  });

  const SORTS = ['updated_at', 'started_at', 'total_tokens', 'total_cost_usd'].flatMap((sort) => [
    `sort=${sort}`,
    `sort=${sort}&order=asc&limit=1`,
    `sort=${sort}&status=waiting_for_approval&status=in_progress`,
    `sort=${sort}&model=gpt-4o&q=run&since=2020-01-01`,
  ]);
  const OTHERS = [
    'q=support',
    'include=history',
    'trace_id_prefix=run-',
    'trace_id_prefix=run&q=support&sort=started_at',
  ];
  it.each([...SORTS, 'agent_id=support', 'agent_id=support:lookup', ...OTHERS])(
    'lists its threads, and counts no others: %s',
    async (query) => {
      const all = async (api: ApiClient) => {
        const items: { thread_id: string }[] = [];
        const totals = new Set<number>();
        for (let cursor: string | null = ''; cursor !== null;) {
          const at: string = cursor && `&cursor=${encodeURIComponent(cursor)}`;
          const page: Page<{ thread_id: string }> & { total: number } = ok(
            await api.get(`/threads?${query}&count=true${at}`),
          ).json();
          items.push(...page.items);
          totals.add(page.total);
          cursor = page.next_cursor;
        }
        return { items, totals: [...totals] };
      };
      const own = new Set(seen.map(({ threadId }) => threadId));
      const expected = (await all(server.api)).items.filter(({ thread_id }) => own.has(thread_id));
      expect(await all(reader)).toEqual({ items: expected, totals: [expected.length] });
    },
  );

  it.each(['agent_id=research', `q=${encodeURIComponent('research')}`, 'agent_id=supporter'])(
    'finds nobody else by looking for them: %s',
    async (query) => {
      expect(ok(await reader.get(`/threads?count=true&${query}`)).json()).toMatchObject({ items: [], total: 0 });
    },
  );

  it('sees its approvals, effects and agents, and no others', async () => {
    const threadsIn = (answer: { json: () => unknown }) =>
      (answer.json() as Page<{ thread_id: string }>).items.map(({ thread_id }) => thread_id);
    const own = seen.map(({ threadId }) => threadId);
    const approvals = ok(await reader.get('/approvals?status=all&count=true'));
    expect([threadsIn(approvals), approvals.json()]).toEqual([own, expect.objectContaining({ total: own.length })]);
    for (const run of seen) expect(ok(await reader.get(`/approvals/${run.traceId}/0`)).status).toBe(200);
    expect(threadsIn(ok(await reader.get('/v1/effects')))).toEqual(own);
    const agents = ok(await reader.get('/v1/agents?count=true&limit=1')).json<Page<{ agent_id: string }>>();
    expect(agents).toMatchObject({ items: [{ agent_id: 'support' }], total: 2 });
    const rest = ok(await reader.get(`/v1/agents?cursor=${encodeURIComponent(agents.next_cursor!)}`));
    expect(rest.json()).toMatchObject({ items: [{ agent_id: 'support:lookup' }], next_cursor: null });
  });

  it('changes nothing', async () => {
    problemOf(await reader.post('/v1/tokens', { scope: 'reader' }), 403);
    problemOf(await reader.delete(threadPath(seen[0]!.threadId)), 403);
  });

  it('may be bound to several agents, and sees what these did together', async () => {
    const both = await readerOf('support', 'research');
    for (const run of [...seen, ...hidden.filter((one) => one !== hidden[1])])
      ok(await both.get(threadPath(run.threadId)));
    problemOf(await both.get(threadPath(hidden[1]!.threadId)), 404);
    both.close();
  });

  it('sees nothing where its agents have done nothing', async () => {
    const none = await readerOf('nobody');
    for (const path of ['/threads?count=true&sort=total_tokens', '/approvals?status=all', '/v1/effects', '/v1/agents'])
      expect(ok(await none.get(path)).json()).toMatchObject({ items: [] });
    none.close();
  });
});

describe('What a bound reader follows', () => {
  it('is of its threads alone: changes, approvals, effects and ends', async () => {
    const streams = [
      await EventStream.open(reader, '/v1/threads/stream'),
      await EventStream.open(reader, '/v1/threads/stream?status=in_progress', '0'),
      await EventStream.open(reader, '/approvals/stream'),
    ];
    const [other, own] = [newRun(), newRun()];
    await recordRun(other, 'research');
    await recordRun(own);
    await record(server.api, checkpoint(own.threadId, 1, { trace_id: own.traceId }));
    for (const stream of streams) await stream.until('its news', ({ seen: all }) => all.some(isOf(own)));
    for (const { threadId } of [other, own]) await server.api.delete(threadPath(threadId));
    for (const stream of streams.slice(0, 2)) {
      await stream.until('the end', ({ seen: all }) => all.some((one) => isGone(one) && isOf(own)(one)));
    }
    for (const stream of streams) {
      for (const run of [other, ...hidden]) expect(stream.seen.filter(isOf(run))).toEqual([]);
      expect(JSON.stringify(stream.seen)).not.toContain(SECRET);
      stream.close();
    }
  });

  it('ends once others take part, without a word of them', async () => {
    const run = newRun();
    await recordRun(run);
    const all = await EventStream.open(reader, '/v1/threads/stream');
    const one = await EventStream.open(reader, threadPath(run.threadId, '/stream'));
    await record(server.api, checkpoint(run.threadId, 1, { trace_id: run.traceId }));
    for (const stream of [all, one]) await stream.until('its news', ({ seen: told }) => told.some(isOf(run)));
    await join(run, 'guest', 'research');
    await record(server.api, completed(run.threadId, { trace_id: run.traceId }));
    await one.until('its end', ({ isEnded }) => isEnded).catch(() => undefined);
    expect(one.isEnded).toBe(true);
    await all.until('the thread to leave', ({ seen: told }) => told.some(({ event }) => event === 'left'));
    for (const stream of [all, one]) expect(JSON.stringify(stream.seen)).not.toMatch(/research/);
    all.close();
    problemOf(await reader.get(threadPath(run.threadId)), 404);
  });

  it('is held back as well from one who waits for what comes next', async () => {
    const run = newRun();
    await recordRun(run);
    const path = `/v1/runners/threads/${run.threadId}/latest`;
    const etag = String(ok(await reader.get(path)).headers.etag);
    const held = reader.get(`${path}?wait=30`, { headers: { 'if-none-match': etag } });
    await join(run, 'guest', 'research');
    await record(server.api, completed(run.threadId, { trace_id: run.traceId }));
    problemOf(await held, 404);
  });

  /** If it is deleted before its previous change is reported, `left` is sent. */
  const isGone = ({ event }: { event: string }) => event === 'deleted' || event === 'left';
  const isOf = (run: RunIds) => (one: { data: string }) => one.data.includes(run.threadId);
});
