import { Database, type SqlParams } from '../../../src/database/database.js';
import { THREAD_SORTS, type ThreadSort } from '../../../src/modules/threads/list/thread-list.query.js';
import { LISTED_THREADS, listedThreadsScript, START_MS, type ListedThread } from '../../factories/listed-threads.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { problemOf } from '../../support/problem.js';
import { ok, type Page } from '../../support/recording.js';

let server: InProcessApp;

beforeAll(async () => {
  server = await startApp();
  const database = server.app.get(Database, { strict: false });
  await database.transaction(async (session) => {
    for (let from = 0; from < LISTED_THREADS.length; from += 200) {
      await session.execute(listedThreadsScript(LISTED_THREADS.slice(from, from + 200)));
    }
  });
});
afterAll(() => server.stop());

interface Asked {
  status?: string[];
  agent_id?: string;
  model?: string;
  q?: string;
  since?: number;
  until?: number;
  open?: 'true' | 'false';
}

const AT_REST = ['completed', 'error', 'budget_exceeded', 'cancelled', 'idle'];

function matching({ status, agent_id, model, q, since, until, open }: Asked): ListedThread[] {
  return LISTED_THREADS.filter(
    (thread) =>
      (!status || status.includes(thread.status)) &&
      (!agent_id || thread.agents.includes(agent_id)) &&
      (!model || thread.model === model) &&
      (!q ||
        [thread.id, thread.model, ...thread.agents].some((text) => text.toLowerCase().includes(q.toLowerCase()))) &&
      (since === undefined || thread.updated_at >= since) &&
      (until === undefined || thread.updated_at <= until) &&
      (open === undefined || AT_REST.includes(thread.status) === (open === 'false')),
  );
}

function sorted(threads: ListedThread[], sort: ThreadSort, order: string): string[] {
  const way = order === 'asc' ? 1 : -1;
  return [...threads].sort((a, b) => way * (a[sort] - b[sort] || a.pk - b.pk)).map(({ id }) => id);
}

function queryOf({ status = [], since, until, ...rest }: Asked, more: Record<string, string>): string {
  const query = new URLSearchParams({ ...rest, ...more });
  for (const one of status) query.append('status', one);
  if (since !== undefined) query.set('since', new Date(since).toISOString());
  if (until !== undefined) query.set('until', new Date(until).toISOString());
  return `/threads?${query.toString()}`;
}

async function walk(asked: Asked, more: Record<string, string>): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const path = queryOf(asked, { ...more, limit: '200', ...(cursor === null ? {} : { cursor }) });
    const page: Page<{ thread_id: string }> = ok(await server.api.get(path)).json();
    ids.push(...page.items.map(({ thread_id }) => thread_id));
    cursor = page.next_cursor;
  } while (cursor !== null);
  return ids;
}

const middle = START_MS + 48_000;
const filters: [string, Asked][] = [
  ['nothing', {}],
  ['a common status', { status: ['completed'] }],
  ['a rare status', { status: ['budget_exceeded'] }],
  ['three statuses, one of them unheard of', { status: ['error', 'budget_exceeded', 'never'] }],
  ['a common agent', { agent_id: 'support' }],
  ['a rare agent', { agent_id: 'auditor' }],
  ['a model', { model: 'claude' }],
  ['a span of time', { since: middle - 20_000, until: middle }],
  ['what is open', { open: 'true' }],
  ['what is not open, of an agent', { open: 'false', agent_id: 'researcher' }],
  ['what is open, with two statuses', { open: 'true', status: ['error', 'in_progress'] }],
  ['an agent and two statuses', { agent_id: 'researcher', status: ['error', 'in_progress'] }],
  ['a common and a rare one together', { agent_id: 'auditor', status: ['completed'] }],
  ['everything at once', { agent_id: 'support', model: 'gpt-4o', status: ['completed', 'error'], until: middle }],
  ['a part of an agent', { q: 'UDIT' }],
  ['a part of a model, and a status', { q: 'lau', status: ['error'] }],
  ['a part of few ids', { q: 'ISTED-077' }],
  ['a part of few ids, and a common agent', { q: 'listed-07', agent_id: 'support' }],
  ['a text that nothing contains', { q: 'listed_' }],
];

/** Both orders without a filter. For each filter one order per sort, two ascending and two descending, alternating with the next filter. */
function ordersOf(name: string, sort: ThreadSort): string[] {
  const place = filters.findIndex(([other]) => other === name);
  if (place === 0) return ['asc', 'desc'];
  return (place + THREAD_SORTS.indexOf(sort)) % 2 === 0 ? ['asc'] : ['desc'];
}

describe.each(filters)('The thread list filtered by %s', (name, asked) => {
  it.each(THREAD_SORTS)('holds exactly what matches, sorted by %s', async (sort) => {
    for (const order of ordersOf(name, sort)) {
      expect(await walk(asked, { sort, order })).toEqual(sorted(matching(asked), sort, order));
    }
  });

  it('is counted in full', async () => {
    const page = ok(await server.api.get(queryOf(asked, { limit: '1', count: 'true' }))).json<Page<unknown>>();
    expect(page.total).toBe(matching(asked).length);
  });
});

describe('The thread list', () => {
  it.each(['status', 'agent_id', 'model', 'q'])(
    'refuses a %s with U+0000 in it, which nobody can store',
    async (name) => {
      const problem = problemOf(await server.api.get(queryOf({}, { [name]: 'sup\0port' })), 400);
      expect(problem.errors).toEqual([expect.objectContaining({ path: name })]);
    },
  );

  it('takes at most fifty different statuses, however often each is given', async () => {
    const many = (count: number) => ({ status: Array.from({ length: 60 }, (_, index) => `status-${index % count}`) });
    expect((await server.api.get(queryOf(many(50), {}))).status).toBe(200);
    expect((await server.api.get(queryOf(many(51), {}))).status).toBe(400);
  });

  it.each([
    ['updated_at', [1.5, 1]],
    ['updated_at', [1, 2 ** 40]],
    ['total_tokens', [1e300, 1]],
    ['started_at', ['1', 1]],
    ['started_at', [1]],
  ])('refuses a cursor for %s that it never gave out: %j', async (sort, key) => {
    const cursor = Buffer.from(JSON.stringify([`threads:${sort}:desc`, ...key])).toString('base64url');
    expect((await server.api.get(queryOf({}, { sort, cursor }))).status).toBe(400);
  });

  it('never scans a table on SQLite, and sorts nothing but a page', async () => {
    if (server.storage.dialect !== 'sqlite') return;
    const plan = await planOf(() => server.api.get('/threads?status=completed&status=error&limit=50'));
    expect(plan.filter((step) => /^SCAN (t|c|r|a)\b/.test(step))).toEqual([]);
    expect(plan.join('\n')).toMatch(/COVERING INDEX thread_by_status/);
  });

  it('looks for silent threads in the stretches of the statuses under way alone, on SQLite', async () => {
    if (server.storage.dialect !== 'sqlite') return;
    const plan = await planOf(() => server.api.get('/threads?silent=true&limit=50'));
    expect(plan.join('\n')).toMatch(/SEARCH t USING INDEX thread_by_status \(status=\? AND updated_at<\?\)/);
    expect(plan.filter((step) => /^SCAN (t|c|r|a|l|effect|e|s)\b/.test(step))).toEqual([]);
  });

  it('looks at the effects of a page of threads by an index of those that are not settled, on SQLite', async () => {
    if (server.storage.dialect !== 'sqlite') return;
    const plan = (await planOf(() => server.api.get('/threads?limit=50'))).join('\n');
    expect(plan).toMatch(/SEARCH effect USING (COVERING )?INDEX effect_undecided \(thread_pk=\?\)/);
  });

  it('finds a common text among the first threads, and looks through none but narrow indexes for a rare one, on SQLite', async () => {
    if (server.storage.dialect !== 'sqlite') return;
    const common = await planOf(() => server.api.get('/threads?q=listed&limit=50'));
    expect(common.filter((step) => /^SCAN [imh]\b/.test(step))).toEqual([]);
    const rare = await planOf(() => server.api.get('/threads?q=listed-0777&limit=50'));
    // Only the few agents `g` send heartbeats.
    const scans = rare.filter((step) => /^SCAN [a-fh-z]\b/.test(step));
    expect([...new Set(scans)]).toEqual([
      'SCAN t USING COVERING INDEX thread_by_updated', // the first threads
      'SCAN w USING COVERING INDEX thread_without_run',
      'SCAN i USING COVERING INDEX thread_by_id',
    ]);
  });

  it('reads all threads once for a rare text, and their agents not one by one, on PostgreSQL', async () => {
    if (server.storage.dialect !== 'postgres') return;
    const plan = (await planOf(() => server.api.get('/threads?q=listed-0777&limit=50'))).join('\n');
    const parts = plan.split(/(?=Limit)/).filter((part) => / on thread t\b/.test(part));
    const found = parts.at(-1) ?? '';
    expect(found.match(/ on thread t\b/g)).toHaveLength(1);
    expect(found).not.toContain('thread_agent');
  });

  it('walks along an order for a bounded number of threads, then reads the index of the filter', async () => {
    const statements = await statementsOf(() => walk({ status: ['completed'] }, { sort: 'total_tokens' }));
    const [walks, others] = partition(statements, ({ sql }) => sql.includes('AS near'));
    expect(walks.length).toBeGreaterThan(10);
    // 8 for each item of a page of 200, plus one.
    expect(walks.filter(({ sql }) => !/LIMIT (1608|4000)\b/.test(sql))).toEqual([]);
    expect(others).toHaveLength(1); // the last page
    if (server.storage.dialect === 'sqlite') expect(others[0]!.sql).toContain('INDEXED BY thread_by_status');
  });

  it.each(['started_at', 'total_tokens', 'total_cost_usd'])(
    'finds a page of a filter that many pass among the next threads by %s, before it counts any',
    async (sort) => {
      const asked = `/threads?status=completed&sort=${sort}&limit=50`;
      const statements = await statementsOf(() => server.api.get(asked));
      expect(statements.map(({ sql }) => /LIMIT 408\b/.test(sql))).toEqual([true]);
      if (server.storage.dialect !== 'postgres') return;
      const plan = await planOf(() => server.api.get(asked));
      expect(plan.join('\n')).not.toMatch(/Seq Scan on thread\b/);
    },
  );

  it('tries the indexes of both filters before it reads one of them to its end', async () => {
    const asked = '/threads?agent_id=support&status=error&status=completed&limit=50';
    const [first, ...others] = await statementsOf(() => server.api.get(asked));
    expect(first!.sql).toMatch(/AS near .*LIMIT 51/s);
    expect(others).toEqual([]);
  });

  it('reads the threads of an agent one by one where it sorts them by their tokens, on PostgreSQL', async () => {
    if (server.storage.dialect !== 'postgres') return;
    const plan = await planOf(() => server.api.get('/threads?agent_id=auditor&sort=total_tokens'));
    expect(plan.join('\n')).toMatch(/Index Scan using \S+ on thread o\b/);
  });

  it.each(['started_at', 'total_tokens', 'total_cost_usd'])(
    'sorts a filter that lets few threads through by %s without a look at their rows, on SQLite',
    async (sort) => {
      if (server.storage.dialect !== 'sqlite') return;
      for (const filter of ['status=budget_exceeded', 'since=2026-01-01T00:01:36Z']) {
        const plan = await planOf(() => server.api.get(`/threads?${filter}&sort=${sort}&limit=50`));
        expect(plan.join('\n')).toMatch(/ t USING COVERING INDEX thread_by_(status|updated)/);
      }
      const plan = await planOf(() => walk({ model: 'gemini' }, { sort }));
      expect(plan.join('\n')).toMatch(/ t USING COVERING INDEX thread_by_model/);
    },
  );
});

describe('The search of threads of very many agents', () => {
  const ids = Array.from({ length: 1100 }, (_, index) => `crowd-${index}`);

  beforeAll(async () => {
    const rows = ids.map((id, index) => `(${index + 1}, '${id}', 1, 0, ${START_MS})`).join(',');
    const database = server.app.get(Database, { strict: false });
    await database.transaction((session) =>
      session.execute(
        `INSERT INTO thread_agent(thread_pk, agent_id, latest_run, open_runs, updated_at) VALUES ${rows}`,
      ),
    );
  });

  it.each(['owd-7', 'owd-1099', 'rowdy'])('finds exactly the threads whose agent contains %j', async (q) => {
    const expected = ids.flatMap((id, index) => (id.includes(q) ? LISTED_THREADS[index]! : []));
    expect(await walk({ q }, {})).toEqual(sorted(expected, 'updated_at', 'desc'));
    const page = ok(await server.api.get(queryOf({ q }, { limit: '1', count: 'true' }))).json<Page<unknown>>();
    expect(page.total).toBe(expected.length);
  });
});

interface Statement {
  sql: string;
  params: SqlParams | undefined;
}

/** The statements for the pages that the call requests. */
async function statementsOf(call: () => Promise<unknown>): Promise<Statement[]> {
  const database = server.app.get(Database, { strict: false });
  const read = database.read.bind(database);
  const statements: Statement[] = [];
  database.read = (sql, params) => {
    if (sql.includes('AS page')) statements.push({ sql, params });
    return read(sql, params);
  };
  await call();
  database.read = read;
  return statements;
}

/** The database's plan for these statements. */
async function planOf(call: () => Promise<unknown>): Promise<string[]> {
  const database = server.app.get(Database, { strict: false });
  const statements = await statementsOf(call);
  const reader = await database.snapshot(); // a connection of its own: SQLite would not end the reading of one that explains
  const explain = database.dialect === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN';
  const steps: string[] = [];
  for (const { sql, params } of statements) {
    const rows = await reader.query(`${explain} ${sql}`, params);
    steps.push(...rows.map((row) => String(row['detail'] ?? row['QUERY PLAN'])));
  }
  await reader.close();
  return steps;
}

function partition<T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))];
}
