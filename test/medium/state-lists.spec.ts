import { Database, type SqlParams } from '../../src/database/database.js';
import { startApp, type InProcessApp } from '../support/in-process-app.js';
import { ok } from '../support/recording.js';
import { stateIds, type StateRecord } from '../support/states.js';

const THREADS = 600;
const EACH = 10;

let server: InProcessApp;

/** Thread 0 is `few-0`, the others are `many-N`; one in a hundred belongs to the agent `rare`. An id's last digits name its thread. */
const stored = Array.from({ length: THREADS * EACH }, (_, n) => {
  const thread = n % THREADS;
  return {
    thread,
    threadId: `${thread < 3 ? 'few' : 'many'}-${thread}`,
    agent: thread % 100 === 7 ? 'rare' : thread % 100 === 8 ? 'rare:sub' : 'common',
    ns: n % 2 === 0 ? '' : 'sub',
    id: `c${String(n).padStart(6, '0')}`,
  };
});

beforeAll(async () => {
  server = await startApp();
  const database = server.app.get(Database, { strict: false });
  const threads = Array.from({ length: THREADS }, (_, thread) => {
    return `(${thread + 1}, '${stored[thread]!.threadId}', 0, 0, 0, 0, 0, 0, 0, 'in_progress', '', '[]', 0, 0, 0, 0, 0, 0, 0)`;
  });
  const states = stored.map(({ thread, agent, ns, id }) => {
    const position = Buffer.from(id).toString('hex');
    return `(${thread + 1}, 'p${id}', '${agent}', '${ns}', '${id}', '${position}', 'json', '', '{}', '', '[]', '${id}', 0)`;
  });
  await database.transaction(async (session) => {
    await session.execute(`INSERT INTO thread(pk, id, last_seq, next_message, next_meta, run_count, current_run, latest_seq, started_at, status,
      model, agents, open_runs, pending_approvals, total_tokens, total_cost_usd, updated_at, last_fence, change_no) VALUES ${threads.join(',')}`);
    await session.execute(`INSERT INTO state_checkpoint(thread_pk, place, agent, ns, checkpoint_id, position, type, data, metadata, members,
      channels, digest, created_at) VALUES ${states.join(',')}`);
    if (database.dialect === 'postgres') await session.execute('ANALYZE thread; ANALYZE state_checkpoint;');
  });
});
afterAll(() => server.stop());

const newestFirst = (isIt: (one: (typeof stored)[number]) => boolean) =>
  stored
    .filter(isIt)
    .map(({ id }) => id)
    .reverse();

describe('The list of checkpoints', () => {
  it.each([
    ['of one thread', { thread_id: 'few-1' }, ({ threadId }) => threadId === 'few-1', 'of_thread'],
    [
      'of a namespace of one thread',
      { thread_id: 'few-1', ns: 'sub' },
      ({ thread, ns }) => thread === 1 && ns === 'sub',
      'in_thread',
    ],
    ['of few threads with a prefix', { thread_prefix: 'few-' }, ({ thread }) => thread < 3, 'of_thread'],
    ['of many threads with a prefix', { thread_prefix: 'many-' }, ({ thread }) => thread >= 3, 'in_order'],
    ['of an agent', { agent_id: 'rare' }, ({ agent }) => agent === 'rare', 'of_agent'],
    [
      'of an agent in many threads',
      { agent_id: 'rare', thread_prefix: 'many-' },
      ({ agent }) => agent === 'rare',
      'of_agent',
    ],
    ['of all', {}, () => true, 'in_order'],
  ] as [string, Record<string, string>, (one: (typeof stored)[number]) => boolean, string][])(
    '%s is read along an index, a page of it at a time',
    async (_, query, isIt, index) => {
      const all = newestFirst(isIt);
      expect(all.length).toBeGreaterThan(4);
      if (all.length < 50) expect(await stateIds(server.api, { ...query, limit: '20' })).toEqual(all);
      const path = `/v1/runners/state?${new URLSearchParams({ ...query, limit: '5' }).toString()}`;
      const asked: { sql: string; params: SqlParams }[] = [];
      const first = await watched(asked, path);
      expect(first.items.map(({ checkpoint_id }) => checkpoint_id)).toEqual(all.slice(0, 5));
      await assertBounded(asked, index);
      const second = await watched(asked, `${path}&cursor=${first.next_cursor}`);
      expect(second.items.map(({ checkpoint_id }) => checkpoint_id)).toEqual(all.slice(5, 10));
      await assertBounded(asked, index);
    },
  );

  it('of the agents of a token is read along the index of agents', async () => {
    const made = await server.api.post('/v1/tokens', { scope: 'runner', agent_ids: ['rare'] });
    const api = server.api.as(made.json<{ token: string }>().token);
    const all = newestFirst(({ agent }) => agent.startsWith('rare'));
    expect(await stateIds(api, { limit: '50' })).toEqual(all);
    expect(await stateIds(api, { thread_prefix: 'many-', limit: '200' })).toEqual(all);
    expect(await stateIds(api, { agent_id: 'common' })).toEqual([]);
    const asked: { sql: string; params: SqlParams }[] = [];
    await watched(asked, '/v1/runners/state?limit=5', api);
    await assertBounded(asked, 'of_agent');
  });
});

interface Page {
  items: StateRecord[];
  next_cursor: string;
}

/** The response, and the statements that located its checkpoints. */
async function watched(asked: { sql: string; params: SqlParams }[], path: string, api = server.api): Promise<Page> {
  asked.length = 0;
  const database = server.app.get(Database, { strict: false });
  const read = database.read.bind(database);
  database.read = (sql, params = []) => {
    if (sql.includes('x.position DESC')) asked.push({ sql, params });
    return read(sql, params);
  };
  try {
    return ok(await api.get(path)).json<Page>();
  } finally {
    database.read = read;
  }
}

/** For a page of five: neither a sort of all rows, nor many rows that are read and discarded. */
async function assertBounded(asked: { sql: string; params: SqlParams }[], index: string): Promise<void> {
  const database = server.app.get(Database, { strict: false });
  const [{ sql, params }] = asked as [{ sql: string; params: SqlParams }];
  const reader = await database.snapshot();
  try {
    if (database.dialect === 'sqlite') {
      const rows = await reader.query<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params);
      const plan = rows.map(({ detail }) => detail).join('\n');
      expect(plan).toContain(`state_checkpoint_${index}`);
      const ofOne = plan.slice(plan.indexOf(`state_checkpoint_${index}`));
      expect(ofOne.replace('USE TEMP B-TREE FOR LAST TERM OF ORDER BY', '').split('TEMP B-TREE').length).toBeLessThan(
        sql.includes('VALUES') ? 3 : 2,
      );
      return;
    }
    const [row] = await reader.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`, params);
    const [{ Plan }] = row!['QUERY PLAN'] as [{ Plan: PlanNode }];
    expect(rowsOf(Plan)).toBeLessThan(400);
  } finally {
    await reader.close();
  }
}

interface PlanNode {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Relation Name'?: string;
  Plans?: PlanNode[];
}

/** Rows read from tables. */
function rowsOf(node: PlanNode): number {
  const rows = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
  return (node['Relation Name'] ? rows : 0) + (node.Plans ?? []).reduce((sum, one) => sum + rowsOf(one), 0);
}
