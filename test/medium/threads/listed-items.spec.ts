import { Database } from '../../../src/database/database.js';
import { checkpoint, completed, newThreadId } from '../../factories/events.js';
import { newRun, waiting, working } from '../../factories/waiting.js';
import { decided } from '../../support/approvals.js';
import { cancel } from '../../support/cancel.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { listOf, ok, record, threadPath } from '../../support/recording.js';
import { siblingHome } from '../../support/storage.js';

type Item = Record<string, unknown>;

/** Two on PostgreSQL. */
const servers: InProcessApp[] = [];

beforeAll(async () => {
  const server = await startApp();
  servers.push(server);
  const { storage } = server;
  if (storage.dialect === 'sqlite') return;
  servers.push(await startApp({ storage, env: { WAYSTATION_HOME: await siblingHome(storage) } }));
});
afterAll(async () => {
  for (const server of servers.reverse()) await server.stop();
});

const first = () => servers[0]!;

/** A thread as every server's list shows it: the same everywhere, and the same with its messages, which are always read again. */
async function shown(threadId: string): Promise<Item | undefined> {
  const { items: whole } = await listOf(first().api, { q: threadId, include: 'history' });
  const expected = whole.map(({ history, history_meta, ...item }) => {
    expect([history, history_meta]).toEqual([expect.any(Array), expect.anything()]);
    return item;
  });
  for (const { api } of servers) {
    for (const sort of ['updated_at', 'started_at']) {
      expect((await listOf(api, { q: threadId, sort })).items).toEqual(expected);
    }
  }
  return expected[0];
}

/** The number of statements that read items meanwhile. */
async function itemsRead(call: () => Promise<unknown>): Promise<number> {
  const database = first().app.get(Database, { strict: false });
  const read = database.read.bind(database);
  let count = 0;
  database.read = (sql, params) => {
    count += Number(sql.includes('AS packed'));
    return read(sql, params);
  };
  await call();
  database.read = read;
  return count;
}

describe('The items of the thread list', () => {
  it('are read once, then only those of threads that have changed', async () => {
    const ids = ['a', 'b', 'c'].map((name) => newThreadId(`seen-${name}`));
    await record(first().api, ...ids.map((id) => checkpoint(id, 0)));
    const look = () => listOf(first().api, { q: 'seen-' });
    expect(await itemsRead(look)).toBeGreaterThan(0);
    expect(await itemsRead(look)).toBe(0);
    expect(await itemsRead(() => listOf(first().api, { status: 'in_progress', sort: 'total_tokens' }))).toBe(0);
    await record(first().api, checkpoint(ids[1]!, 1));
    expect(await itemsRead(look)).toBe(1);
    expect(await itemsRead(look)).toBe(0);
    expect((await look()).items.map(({ step_index }) => step_index).sort()).toEqual([0, 0, 1]);
  });

  it('show every change at once, on every server', async () => {
    const run = newRun('changing');
    const { threadId, traceId } = run;
    const { api } = first();
    const child = { trace_id: `${traceId}-a`, parent_trace_id: traceId, agent_id: 'researcher' };
    const changes: [string, () => Promise<unknown>, Item][] = [
      ['a report', () => record(api, working(run, 0)), { step_index: 0, runs: 1 }],
      ['a corrected one', () => record(api, working(run, 0, { tokens_used: 7 })), { tokens_used: 7, total_tokens: 7 }],
      ['a question', () => record(api, waiting(run, 1)), { pending_approvals: 1 }],
      ['a decision', () => decided(api, 'approve', run, 1), { pending_approvals: 0 }],
      ['a sub-run', () => record(api, checkpoint(threadId, 0, child)), { runs: 2, agents: ['support', 'researcher'] }],
      ['the end', () => record(api, completed(threadId, { trace_id: traceId })), { status: 'completed' }],
      ['a run more', () => record(api, checkpoint(threadId, 0, { trace_id: `${traceId}-b` })), { runs: 3 }],
      ['its end by a person', async () => ok(await cancel(api, threadId, `${traceId}-b`)), { status: 'cancelled' }],
    ];
    for (const [change, make, expected] of changes) {
      await make();
      expect({ change, ...(await shown(threadId)) }).toMatchObject({ change, ...expected });
    }
  });

  it('are gone with their thread, and new where it begins again', async () => {
    const threadId = newThreadId('again');
    await record(first().api, checkpoint(threadId, 3));
    expect(await shown(threadId)).toMatchObject({ step_index: 3 });
    expect((await first().api.delete(threadPath(threadId))).status).toBe(204);
    expect(await shown(threadId)).toBeUndefined();
    await record(first().api, checkpoint(threadId, 0));
    expect(await shown(threadId)).toMatchObject({ step_index: 0 });
  });

  it('are those of one moment where a thread changes between the statements', async () => {
    const threadId = newThreadId('between');
    await record(first().api, checkpoint(threadId, 0));
    const database = first().app.get(Database, { strict: false });
    const read = database.read.bind(database);
    database.read = async (sql, params) => {
      if (sql.includes('AS packed')) {
        database.read = read;
        await record(first().api, checkpoint(threadId, 1));
      }
      return read(sql, params);
    };
    expect((await listOf(first().api, { q: threadId })).items).toMatchObject([{ step_index: 1 }]);
    expect(await shown(threadId)).toMatchObject({ step_index: 1 });
  });

  it('are whole and new where they are long', async () => {
    const threadId = newThreadId('long');
    for (const letter of ['a', 'b']) {
      const note = letter.repeat(20_000);
      await record(first().api, checkpoint(threadId, 0, { note }));
      expect(await shown(threadId)).toMatchObject({ note });
    }
  });
});
