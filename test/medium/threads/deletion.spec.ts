import { jest } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { ChangeFeed } from '../../../src/database/change-feed.js';
import { Database } from '../../../src/database/database.js';
import { StateClearingRepository } from '../../../src/modules/graph-states/state-clearing.repository.js';
import { ThreadCleanupService } from '../../../src/modules/threads/deletion/thread-cleanup.service.js';
import { ThreadDeletionRepository } from '../../../src/modules/threads/deletion/thread-deletion.repository.js';
import { ThreadDeletionService } from '../../../src/modules/threads/deletion/thread-deletion.service.js';
import { LatestCheckpointService } from '../../../src/modules/threads/checkpoints/latest-checkpoint.service.js';
import { checkpoint, completed, conversation, newThreadId, started, budgetWarning } from '../../factories/events.js';
import { waiting } from '../../factories/waiting.js';
import type { Answer } from '../../support/api-client.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { withLocked } from '../../support/locked-rows.js';
import { problemOf } from '../../support/problem.js';
import { latestPath, listOf, record, threadPath } from '../../support/recording.js';
import { b64, digestOf, putState, putWrites, stateIds, stateOf, statePath } from '../../support/states.js';
import { waitFor } from '../../support/wait.js';

/** Its private members. */
interface Removal {
  removeSome(large: { table: string }, pk: number): Promise<boolean>;
}

let server: InProcessApp;
let database: Database;
let clearing: StateClearingRepository;

beforeAll(async () => {
  server = await startApp();
  clearing = server.app.get(StateClearingRepository, { strict: false });
  database = server.app.get(Database, { strict: false });
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => server.stop());

async function pkOf(threadId: string): Promise<number> {
  const [row] = await database.read<{ pk: number }>('SELECT pk FROM thread WHERE id = $1', [threadId]);
  return row!.pk;
}

/** The number of the thread's rows in every table with a column `thread_pk`, except the deletion notice. */
async function rowsOf(pk: number): Promise<Record<string, number>> {
  const sql =
    database.dialect === 'sqlite'
      ? `SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND c.name = 'thread_pk'`
      : `SELECT table_name AS name FROM information_schema.columns WHERE column_name = 'thread_pk' AND table_schema = 'public'`;
  const tables = await database.read<{ name: string }>(sql);
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    if (name === 'deletion_notice') continue;
    const [row] = await database.read<{ n: number }>(`SELECT COUNT(*) AS n FROM ${name} WHERE thread_pk = $1`, [pk]);
    if (row!.n > 0) counts[name] = row!.n;
  }
  return counts;
}

async function recordMuch(threadId: string): Promise<number> {
  const waiting = { status: 'waiting_for_approval', pending_tool_calls: [{ function: 'pay', args: {} }] };
  await record(server.api, started(threadId), checkpoint(threadId, 0, { history: conversation(1500) }));
  await record(server.api, { ...checkpoint(threadId, 1, waiting), id: 'event-1' }, budgetWarning(threadId));
  return pkOf(threadId);
}

/** 24 MB in checkpoints, writes and values. @returns the digests of the values */
async function fillStates(threadId: string): Promise<string[]> {
  const digests: string[] = [];
  for (let n = 0; n < 6; n += 1) {
    const bytes = randomBytes(1024 * 1024);
    const data = b64(bytes);
    digests.push(digestOf(bytes));
    const values = { large: { version: 1, type: 'bytes', data } };
    const stored = await putState(server.api, threadId, `c${n}`, { checkpoint: { type: 'bytes', data }, values });
    const writes = [{ idx: 0, channel: 'x', type: 'bytes', data }];
    const written = await putWrites(server.api, threadId, `c${n}`, { task_id: 't', writes });
    expect([stored.status, written.status]).toEqual([201, 204]);
  }
  return digests;
}

/**
 * Counts the transactions that have deleted states of a thread since; excludes other applications' removals, which may help with any
 * thread.
 */
function watchPieces(): (pk: number) => number {
  const alone = jest.spyOn(clearing, 'piece').mock.calls;
  const removal = server.app.get<Removal>(ThreadDeletionRepository, { strict: false });
  const withThread = jest.spyOn(removal, 'removeSome').mock.calls;
  return (pk) =>
    alone.filter(([, , { threadPk }]) => threadPk === pk).length +
    withThread.filter(([{ table }, threadPk]) => threadPk === pk && table.startsWith('state_')).length;
}

describe('Deleting a thread', () => {
  it('leaves no row behind, more than fit into one transaction included', async () => {
    const threadId = newThreadId();
    const pk = await recordMuch(threadId);
    expect(Object.keys(await rowsOf(pk))).toEqual(
      expect.arrayContaining(['run', 'checkpoint', 'message', 'thread_event', 'seen_event', 'thread_agent']),
    );
    expect((await server.api.delete(threadPath(threadId))).status).toBe(204);
    expect(await rowsOf(pk)).toEqual({});
  });

  it.each([
    ['or its states alone', (threadId: string) => statePath(threadId)],
    ['with its states', (threadId: string) => threadPath(threadId)],
  ])('%s takes many short transactions where these are large', async (_, pathOf) => {
    const threadId = newThreadId();
    const pk = await recordMuch(threadId);
    await fillStates(threadId);
    const piecesOf = watchPieces();
    expect((await server.api.delete(pathOf(threadId))).status).toBe(204);
    // A background round may be deleting the last of them.
    const isLeft = async () => Object.keys(await rowsOf(pk)).some((table) => table.startsWith('state_'));
    await waitFor('the states to go', async () => !(await isLeft()));
    // 24 MB, with at most about four in each piece.
    expect(piecesOf(pk)).toBeGreaterThanOrEqual(5);
  });

  it('leaves what is stored meanwhile whole, also where it names a value that was about to go', async () => {
    const threadId = newThreadId();
    const digests = (await fillStates(threadId)).sort();
    const named = { last: { version: 1, type: 'bytes', digest: digests.at(-1) } };
    let put: Promise<Answer> | null = null;
    const piece = clearing.piece.bind(clearing);
    jest.spyOn(clearing, 'piece').mockImplementation(async (...args) => {
      const found = await piece(...args);
      // This piece removes the last states, but values are left.
      if (found.next === 'values') put ??= putState(server.api, threadId, 'later', { values: named });
      return found;
    });
    expect((await server.api.delete(statePath(threadId))).status).toBe(204);
    const { status } = await put!;
    expect([201, 409]).toContain(status);
    const ids = await stateIds(server.api, { thread_id: threadId });
    expect(ids).toEqual(status === 201 ? ['later'] : []);
    if (status !== 201) return;
    const { values } = await stateOf(server.api, threadId, 'later');
    expect(digestOf(Buffer.from(values.last!.data, 'base64'))).toBe(digests.at(-1));
    const again = { other: { version: 1, type: 'bytes', digest: digests[0] } };
    expect((await putState(server.api, threadId, 'other', { values: again })).status).toBe(409);
  });

  it('while its latest checkpoint is being read makes that not found, and not a part of itself', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0, { history: conversation(10), agent_id: 'first' }));
    await record(server.api, checkpoint(threadId, 1, { history: conversation(12), agent_id: 'second' }));
    const service = server.app.get(LatestCheckpointService, { strict: false });
    // For an agent other than the latest: its checkpoint is not in memory.
    const latest = await service.get(threadId, { traceId: null, agentId: 'first' }, 'all', null);
    expect((await server.api.delete(threadPath(threadId))).status).toBe(204);
    await expect(latest.body()).rejects.toMatchObject({ kind: 'not_found' });
  });

  it('happens once, however many ask for it at the same time', async () => {
    const threadId = newThreadId();
    await recordMuch(threadId);
    const answers = await Promise.all(Array.from({ length: 8 }, () => server.api.delete(threadPath(threadId))));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, ...Array<number>(7).fill(404)]);
  });

  it('and reporting to it at the same time give a whole thread or none', async () => {
    const threadId = newThreadId();
    const tasks = Array.from({ length: 60 }, (_, step) =>
      step % 10 === 5 ? server.api.delete(threadPath(threadId)) : record(server.api, checkpoint(threadId, step)),
    );
    await Promise.all(tasks);
    const answer = await server.api.get(latestPath(threadId));
    if (answer.status === 404) return;
    const { history, step_index } = answer.json<{ history: unknown[]; step_index: number }>();
    expect(history).toEqual(conversation(2 * (step_index + 1)));
  });

  it('that was cut off by a crash is finished at the next start', async () => {
    const threadId = newThreadId();
    const pk = await recordMuch(threadId);
    await database.transaction((session) =>
      session.execute(
        `DELETE FROM thread WHERE pk = ${pk}; INSERT INTO deleted_thread(thread_pk, deleted_at) VALUES (${pk}, 1);`,
      ),
    );
    server.app.get(ThreadCleanupService, { strict: false }).onApplicationBootstrap();
    await waitFor(
      'the rows to go',
      async () => Object.keys(await rowsOf(pk)).filter((name) => !/agent|approval/.test(name)).length === 0,
    );
  });

  it('that a server began which has died since is finished by the others, also an import', async () => {
    const [dead, underWay] = [await recordMuch(newThreadId()), await recordMuch(newThreadId())];
    const at = (pk: number, deletedMs: number) =>
      `DELETE FROM thread WHERE pk = ${pk}; INSERT INTO deleted_thread(thread_pk, deleted_at) VALUES (${pk}, ${deletedMs});`;
    const nowMs = Date.now();
    // In the future, so that no round of an earlier test takes them.
    await database.transaction((session) => session.execute(at(underWay, nowMs + 10_000) + at(dead, nowMs + 600_000)));
    const cleanup = server.app.get(ThreadCleanupService, { strict: false });
    const isDetached = async (pk: number) =>
      (await database.read('SELECT 1 AS one FROM deleted_thread WHERE thread_pk = $1', [pk])).length > 0;
    await cleanup.look();
    expect([await isDetached(dead), await isDetached(underWay)]).toEqual([true, true]);
    await database.transaction((session) =>
      session.query('UPDATE deleted_thread SET deleted_at = $1 WHERE thread_pk = $2', [nowMs - 61_000, dead]),
    );
    await cleanup.look();
    await waitFor('the rows to go', async () => !(await isDetached(dead)));
    expect(Object.keys(await rowsOf(dead)).filter((name) => !/agent|approval/.test(name))).toEqual([]);
  });

  it('is not found for an id that cannot be one', async () => {
    problemOf(await server.api.delete(threadPath('a\0b')), 404);
    problemOf(await server.api.get(threadPath('a\0b')), 404);
    problemOf(await server.api.get(threadPath('a\0b', '/checkpoints')), 404);
  });
});

describe('The notices of deletions', () => {
  it('are kept for a day', async () => {
    const noticesOf = async (...pks: number[]) => {
      const sql = `SELECT thread_pk FROM deletion_notice WHERE thread_pk IN (${pks.join()}) ORDER BY thread_pk`;
      return (await database.read<{ thread_pk: number }>(sql)).map(({ thread_pk: pk }) => pk);
    };
    const [old, recent, last] = [newThreadId(), newThreadId(), newThreadId()];
    for (const id of [old, recent, last]) await record(server.api, checkpoint(id, 0));
    const [oldPk, ...others] = [await pkOf(old), await pkOf(recent), await pkOf(last)];
    for (const id of [old, recent]) await server.api.delete(threadPath(id));
    const almostADayAgo = Date.now() - 86_400_000 + 600_000;
    for (const [pk, deletedAt] of [
      [oldPk, Date.now() - 86_400_001],
      [others[0], almostADayAgo],
    ] as const) {
      const sql = `UPDATE deletion_notice SET deleted_at = ${deletedAt} WHERE thread_pk = ${pk}`;
      await database.transaction((session) => session.execute(sql));
    }
    await server.api.delete(threadPath(last));
    // The next scheduled round may be a minute away: after a long round, the pause is long.
    server.app.get(ThreadCleanupService, { strict: false }).onApplicationBootstrap();
    await waitFor('the old notice to go', async () => !(await noticesOf(oldPk)).includes(oldPk));
    expect(await noticesOf(oldPk, ...others)).toEqual(others);
  });
});

describe('Deleting old threads', () => {
  it('leaves nothing behind of those that go while another session holds one of them locked', async () => {
    if (database.dialect !== 'postgres') return;
    // Without earlier deletions, after which these would be cleaned up as well.
    const own = await startApp();
    const [held, ...others] = Array.from({ length: 5 }, () => newThreadId('locked'));
    for (const id of [held!, ...others]) await record(own.api, checkpoint(id, 0), completed(id));
    await withLocked(own.storage, `thread WHERE id = '${held}'`, async () => {
      const deletion = own.app.get(ThreadDeletionService, { strict: false }).deleteOld(Date.now() + 1000);
      await expect(deletion).rejects.toMatchObject({ kind: 'unavailable' });
    });
    const left = await own.app.get(Database, { strict: false }).read('SELECT thread_pk FROM deleted_thread');
    expect(left).toEqual([]);
    expect((await own.api.delete(threadPath(held!))).status).toBe(204);
    await own.stop();
  });

  it('passes by threads that wait for a person', async () => {
    const ids = Array.from({ length: 120 }, () => newThreadId('ended'));
    for (const id of ids) await record(server.api, checkpoint(id, 0), completed(id));
    await record(server.api, waiting({ threadId: ids[0]!, traceId: 'run-1' }, 1));
    const feed = server.app.get(ChangeFeed, { strict: false });
    let woken = 0;
    feed.subscribe(await pkOf(ids[1]!), () => woken++);
    const deletion = server.app.get(ThreadDeletionService, { strict: false });
    const counts = await Promise.all([deletion.deleteOld(Date.now() + 1000), deletion.deleteOld(Date.now() + 1000)]);
    expect(counts[0] + counts[1]).toBeGreaterThanOrEqual(119);
    expect(woken).toBeGreaterThan(0);
    const { items } = await listOf(server.api, { q: 'ended-', limit: '200' });
    expect(items.map(({ thread_id }) => thread_id)).toEqual([ids[0]]);
  });
});
