import { checkpoint, completed, conversation, failed, newThreadId, started } from '../../factories/events.js';
import { problemOf } from '../../support/problem.js';
import { detailOf, listOf, record, recordEach, threadPath } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';
import { nextMillisecond } from '../../support/wait.js';

const server = useServer();
const group = newThreadId('group');
const idOf = (name: string) => `${group}-${name}`;

/** Names of this file's threads, in the order of a list. */
function namesOf(items: Record<string, unknown>[]): string[] {
  const ids = items.map((item) => String(item.thread_id));
  return ids.filter((id) => id.startsWith(group)).map((id) => id.slice(group.length + 1));
}

async function names(query: Record<string, string>): Promise<string[]> {
  return namesOf((await listOf(server.api, query)).items);
}

beforeAll(async () => {
  const small = { tokens_used: 10, run_cost_usd: 0.5, agent_id: 'writer', model: 'small' };
  await record(server.api, started(idOf('a')), checkpoint(idOf('a'), 0, { tokens_used: 300, run_cost_usd: 0.1 }));
  await nextMillisecond();
  await record(server.api, started(idOf('b'), small), checkpoint(idOf('b'), 0, small));
  await nextMillisecond();
  await record(server.api, checkpoint(idOf('c'), 1, { tokens_used: 20, run_cost_usd: 0.3 }), failed(idOf('c')));
  await nextMillisecond();
  await record(server.api, completed(idOf('b'), { tokens_used: 40, model: 'small' }));
});

describe('The list of threads', () => {
  it('holds one item per thread: its latest checkpoint without the messages, and what sums the thread up', async () => {
    const threadId = idOf('item');
    const child = { trace_id: 'run-1a', parent_trace_id: 'run-1', agent_id: 'researcher', tokens_used: 50 };
    await record(server.api, started(threadId), checkpoint(threadId, 0), checkpoint(threadId, 0, child));
    await record(server.api, checkpoint(threadId, 1, { tokens_used: 200, run_cost_usd: 0.25 }));
    const { items } = await listOf(server.api, { q: threadId });
    expect(items).toHaveLength(1);
    const item = items[0] ?? {};
    expect(item).toMatchObject({
      thread_id: threadId,
      trace_id: 'run-1',
      step_index: 1,
      status: 'in_progress',
      history_length: 4,
      runs: 2,
      pending_approvals: 0,
      error: null,
      total_tokens: 250,
      model: 'gpt-4o',
    });
    expect(item.total_cost_usd).toBeCloseTo(0.26);
    expect([...(item.agents as string[])].sort()).toEqual(['researcher', 'support']);
    expect(item).not.toHaveProperty('history');
    expect(item).not.toHaveProperty('history_meta');
    const [startedAt, updatedAt] = [Date.parse(String(item.started_at)), Date.parse(String(item.updated_at))];
    expect(item.duration_ms).toBe(updatedAt - startedAt);
    await server.api.delete(`/threads/${threadId}`);
  });

  it('gives its own members once, where a checkpoint reported some of those names', async () => {
    const threadId = idOf('twice');
    await record(server.api, checkpoint(threadId, 0, { history_length: 77, runs: 5, custom: 1 }));
    const text = (await server.api.get(`/threads?q=${encodeURIComponent(threadId)}`)).text;
    for (const name of ['history_length', 'runs', 'custom']) expect(text.split(`"${name}":`)).toHaveLength(2);
    expect((await listOf(server.api, { q: threadId })).items[0]).toMatchObject({
      history_length: 2,
      runs: 1,
      custom: 1,
    });
    await server.api.delete(`/threads/${threadId}`);
  });

  it('adds the messages of an edited history in their order, wherever they lie in the log', async () => {
    const threadId = newThreadId('edited');
    const all = Array.from({ length: 3_000 }, (_, n) => ({ n }));
    const edited = all.filter(({ n }) => n % 2 === 0);
    await record(server.api, checkpoint(threadId, 0, { history: all, history_meta: all }));
    await record(server.api, checkpoint(threadId, 1, { history: edited, history_meta: edited }));
    const { items } = await listOf(server.api, { q: threadId, include: 'history' });
    expect(items).toMatchObject([{ history: edited, history_meta: edited }]);
  });

  it('adds the messages with include=history', async () => {
    const { items } = await listOf(server.api, { q: idOf('a'), include: 'history' });
    expect(items[0]).toMatchObject({ history: conversation(2), history_meta: { length: 2 } });
  });

  it('is newest first by default, where a late change counts', async () => {
    expect(await names({})).toEqual(['b', 'c', 'a']);
  });

  it.each([
    ['updated_at', ['a', 'c', 'b']],
    ['started_at', ['a', 'b', 'c']],
    ['total_tokens', ['c', 'b', 'a']],
    ['total_cost_usd', ['a', 'c', 'b']],
  ])('can be sorted by %s, either way', async (sort, ascending) => {
    expect(await names({ sort, order: 'asc' })).toEqual(ascending);
    expect(await names({ sort, order: 'desc' })).toEqual([...ascending].reverse());
    expect(await names({ sort })).toEqual([...ascending].reverse());
  });

  it('can be filtered by one status or several', async () => {
    expect(await names({ status: 'completed' })).toEqual(['b']);
    const several = await server.api.get('/threads?status=completed&status=error');
    expect(namesOf(several.json<{ items: Record<string, unknown>[] }>().items)).toEqual(['b', 'c']);
    expect(await names({ status: 'never_heard_of' })).toEqual([]);
  });

  it('can be filtered by agent, model, and a part of id, agent or model', async () => {
    expect(await names({ agent_id: 'writer' })).toEqual(['b']);
    expect(await names({ agent_id: 'write' })).toEqual([]);
    expect(await names({ model: 'small' })).toEqual(['b']);
    expect(await names({ q: idOf('c') })).toEqual(['c']);
    expect(await names({ q: 'rite' })).toEqual(['b']);
    expect(await names({ q: 'mall' })).toEqual(['b']);
  });

  it('can be filtered by the trace id of any of its runs, or what one begins with', async () => {
    const threads = ['run-a', 'run-b'].map(idOf);
    const events = threads.flatMap((id) =>
      ['1', '12', '2😀'].map((run) => checkpoint(id, 0, { trace_id: `${id}_${run}` })),
    );
    await record(server.api, ...events, completed(threads[0]!, { trace_id: `${threads[0]}_1` }));
    const [one, other] = threads as [string, string];
    expect(await names({ trace_id: `${one}_1` })).toEqual(['run-a']);
    expect(await names({ trace_id: `${other}_2😀`, sort: 'started_at', q: 'run-b' })).toEqual(['run-b']);
    expect(await names({ trace_id: `${one}_1`, status: 'error' })).toEqual([]);
    expect(await names({ trace_id: `${one}_` })).toEqual([]);
    expect(await names({ trace_id_prefix: `${one}_2😀` })).toEqual(['run-a']);
    expect(await names({ trace_id_prefix: `${one}%1` })).toEqual([]);
    const prefix = { trace_id_prefix: idOf('run-'), order: 'asc', sort: 'started_at', limit: '1', count: 'true' };
    const first = await listOf(server.api, prefix);
    expect([namesOf(first.items), first.total]).toEqual([['run-a'], 2]);
    expect(await names({ ...prefix, cursor: String(first.next_cursor) })).toEqual(['run-b']);
    for (const id of threads) await server.api.delete(`/threads/${id}`);
  });

  it.each(['%', '_', '!', '\\', "'", '"', '%25', '*'])('takes %j in a search literally', async (q) => {
    expect(await names({ q })).toEqual([]);
  });

  it.each(['é', 'ệ', 'Й', '한', 'パ'])('finds %s as one character or as several, large or small', async (letter) => {
    const texts = ['NFC', 'NFD'].flatMap((form) =>
      [letter.toUpperCase(), letter.toLowerCase()].map((t) => t.normalize(form)),
    );
    const group = newThreadId('letters');
    const stored = texts.map((text, n) => `${group}-${n}-caf${text}`);
    await recordEach(server.api, ...stored.map((id) => checkpoint(id, 0, { model: `${group}-caf` })));
    for (const text of texts) {
      const { items } = await listOf(server.api, { q: `CAF${text}`, sort: 'started_at', order: 'asc' });
      expect(items.map(({ thread_id }) => thread_id).filter((id) => String(id).startsWith(group))).toEqual(stored);
    }
    for (const id of stored) await server.api.delete(threadPath(id));
  });

  it('can be limited to a span of time', async () => {
    const { items } = await listOf(server.api, { q: idOf('c') });
    const at = String(items[0]?.updated_at);
    const before = new Date(Date.parse(at) - 60_000).toISOString();
    const after = new Date(Date.parse(at) + 60_000).toISOString();
    expect(await names({ since: before, until: after })).toEqual(['b', 'c', 'a']);
    expect(await names({ since: after })).toEqual([]);
    expect(await names({ until: before })).toEqual([]);
    expect(await names({ since: '2020-01-01' })).toEqual(['b', 'c', 'a']);
  });

  it('counts all that match on request only', async () => {
    const query = { q: group, limit: '1' };
    expect(await listOf(server.api, { ...query, count: 'true' })).toMatchObject({ total: 3, items: { length: 1 } });
    expect(await listOf(server.api, query)).not.toHaveProperty('total');
  });

  it.each([
    ['limit', '0'],
    ['limit', '201'],
    ['limit', '-1'],
    ['limit', 'ten'],
    ['limit', '1.5'],
    ['cursor', 'made-up'],
    ['cursor', 'eyJ4IjoxfQ'],
    ['since', 'yesterday'],
    ['since', '2026-13-45'],
    ['until', '0'],
    ['sort', 'name'],
    ['sort', 'toString'],
    ['order', 'up'],
    ['count', 'maybe'],
    ['include', 'everything'],
  ])('refuses %s=%j instead of taking a default', async (name, value) => {
    const problem = problemOf(await server.api.get(`/threads?${name}=${encodeURIComponent(value)}`), 400);
    expect(JSON.stringify(problem)).toContain(name);
  });

  it('refuses a cursor of another sort', async () => {
    const { next_cursor: cursor } = await listOf(server.api, { limit: '1' });
    problemOf(await server.api.get(`/threads?sort=total_tokens&cursor=${encodeURIComponent(String(cursor))}`), 400);
  });

  it('sums the last value of every run and every attempt', async () => {
    const threadId = idOf('sums');
    const spent = (tokens: number, more = {}) => ({ tokens_used: tokens, run_cost_usd: tokens / 1000, ...more });
    await record(server.api, checkpoint(threadId, 0, spent(10)), checkpoint(threadId, 1, spent(30)));
    await record(server.api, completed(threadId, { tokens_used: 31 }));
    await record(server.api, checkpoint(threadId, 0, spent(5, { history: conversation(2, ' turn 2') })));
    await record(server.api, checkpoint(threadId, 0, spent(100, { trace_id: 'run-2' })));
    const expected = { total_tokens: 136, total_cost_usd: expect.closeTo(0.135) };
    expect(await detailOf(server.api, threadId)).toMatchObject(expected);
    expect((await listOf(server.api, { q: threadId })).items[0]).toMatchObject(expected);
    await server.api.delete(`/threads/${threadId}`);
  });

  it('keeps small amounts in its sums, and takes amounts up to 1e12', async () => {
    const spent = (id: string, run: number, usd: number) =>
      checkpoint(id, 0, { trace_id: `run-${run}`, history: [], run_cost_usd: usd, budget_usd: 1e12 });
    const [small, large] = [idOf('small-sums'), idOf('large-sums')];
    await record(server.api, ...Array.from({ length: 50 }, (_, run) => spent(small, run, 4e-10)));
    expect(await detailOf(server.api, small)).toMatchObject({ total_cost_usd: 2e-8 });
    await record(server.api, spent(large, 1, 1e12), spent(large, 2, 1e12), spent(large, 3, 0.25));
    const detail = await detailOf(server.api, large);
    expect(detail).toMatchObject({ total_cost_usd: 2e12 + 0.25, budget_usd: 1e12 });
    for (const id of [small, large]) await server.api.delete(`/threads/${id}`);
  });

  it.each([
    ['ärger', ['ÄRGER-1', 'Ärger-2', 'aerger-3'], [0, 1]],
    ['ПРИВЕТ', ['привет', 'Привет!'], [0, 1]],
    ['ΟΔΟΣ', ['οδος', 'οδοσ'], [0, 1]],
    ['kelvin', ['\u212aELVIN', 'Kelvin', 'celvin'], [0, 1]],
    ['\u212ael', ['kelvin', 'KELVIN'], [0, 1]],
    ['straße', ['STRAẞE', 'strasse'], [0]],
    ['𐐀[*]?', ['x𐐨[*]?x', '𐐨**?', '𐐨[a]?'], [0]],
    ['ıS', ['ıſ', 'is', 'İs'], [0]],
  ])('finds %j in every script, large and small letters being alike', async (q, texts, found) => {
    const mark = idOf(`folded-${Buffer.from(q).toString('hex')}`);
    for (const [n, text] of texts.entries()) {
      const fields = [{}, { agent_id: `${text} agent` }, { model: `a ${text}` }];
      await record(server.api, ...fields.map((more, at) => checkpoint(`${mark}-${n}-${at}${at ? '' : text}`, 0, more)));
    }
    const { items } = await listOf(server.api, { q, limit: '200' });
    const ids = items.map(({ thread_id }) => String(thread_id)).filter((id) => id.startsWith(mark));
    const numbers = ids.map((id) => id.slice(mark.length + 1).slice(0, 3)).sort();
    expect(numbers).toEqual(found.flatMap((n) => [0, 1, 2].map((at) => `${n}-${at}`)));
    expect(await listOf(server.api, { q: q.repeat(300), count: 'true' })).toMatchObject({ items: [], total: 0 });
    for (const id of ids) await server.api.delete(`/threads/${encodeURIComponent(id)}`);
  });
});
