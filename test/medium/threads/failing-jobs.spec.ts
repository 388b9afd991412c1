import { jest } from '@jest/globals';
import { checkpoint, newThreadId } from '../../factories/events.js';
import { ThreadJournal, type UnitOfWork } from '../../../src/modules/threads/journal/thread-journal.service.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { someLockWait, withLocked } from '../../support/locked-rows.js';
import { latestOf, record } from '../../support/recording.js';
import { withPostgres } from '../../support/storage.js';
import { waitFor } from '../../support/wait.js';

let server: InProcessApp;
let journal: ThreadJournal;

beforeAll(async () => {
  server = await startApp();
  journal = server.app.get(ThreadJournal, { strict: false });
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => server.stop());

/** The order of the jobs' last executions; a failed transaction executes them again. */
class Jobs {
  readonly done: string[] = [];
  /** The number of jobs in each stored transaction. */
  readonly sizes: number[] = [];

  constructor() {
    jest.spyOn(journal.figures.groupJobs, 'observe').mockImplementation((size) => void this.sizes.push(Number(size)));
  }

  submit(name: string, threadIds: readonly string[], work: (drafts: UnitOfWork) => unknown = () => undefined) {
    return journal
      .submit({ name, threadIds, bytes: 0, run: async (drafts) => work(drafts) })
      .then(() => this.done.push(name));
  }
}

const fails = () => {
  throw new Error('of this job alone');
};
const newThreads = (count: number) => Array.from({ length: count }, () => newThreadId());

describe('A job that fails when it is worked out', () => {
  it('costs those that wait with it two more transactions, not one for each of them', async () => {
    const jobs = new Jobs();
    const threadIds = newThreads(41);
    const waiting = threadIds.map((id, n) => jobs.submit(String(n), [id], n === 20 ? fails : undefined));
    const results = await Promise.allSettled(waiting);
    expect(results.map(({ status }, n) => (status === 'rejected' ? n : -1)).filter((n) => n >= 0)).toEqual([20]);
    expect(jobs.sizes).toEqual([20, 20]);
  });

  it('keeps its place among the jobs of its thread, and others do not wait for it', async () => {
    const jobs = new Jobs();
    const [shared, linked, other] = newThreads(3) as [string, string, string];
    let tries = 0;
    const failsOnce = () => void ((tries += 1) === 1 && fails());
    await Promise.all([
      jobs.submit('before', [shared]),
      jobs.submit('fails once', [shared, linked], failsOnce),
      jobs.submit('behind', [shared]),
      jobs.submit('behind that', [linked]),
      jobs.submit('of another', [other]),
    ]);
    expect(jobs.done).toEqual(['before', 'of another', 'fails once', 'behind', 'behind that']);
    expect(jobs.sizes).toEqual([1, 1, 1, 2]);
  });

  it('makes nobody wait for a thread that another session holds locked, and the order stays', async () => {
    const jobs = new Jobs();
    const [locked, ...others] = newThreads(20) as [string, ...string[]];
    for (const id of [locked, ...others]) await record(server.api, checkpoint(id, 0));
    jobs.sizes.length = 0;
    let blocked: Promise<unknown> = Promise.resolve();
    await withLocked(server.storage, `thread WHERE id = '${locked}'`, async () => {
      const sinceMs = performance.now();
      const culprit = jobs.submit('fails', [others[9]!], fails);
      blocked = Promise.all([jobs.submit('first', [locked]), jobs.submit('second', [locked, others[0]!])]);
      const free = others.slice(1).map((id) => jobs.submit('free', [id]));
      await expect(culprit).rejects.toThrow('of this job alone');
      await Promise.all(free);
      expect(performance.now() - sinceMs).toBeLessThan(8_000);
      if (server.storage.dialect === 'postgres') expect(jobs.done).not.toContain('first');
    });
    await blocked;
    expect(jobs.done.filter((name) => name !== 'free')).toEqual(['first', 'second']);
    expect((await latestOf(server.api, locked)).step_index).toBe(0);
  });

  it('has no part in what others are told that wait for locked threads', async () => {
    const { databaseUrl } = server.storage;
    if (databaseUrl === null) return;
    const threadIds = newThreads(12);
    for (const id of threadIds) await record(server.api, checkpoint(id, 0));
    const [own, ...others] = threadIds as [string, ...string[]];
    const kept: unknown[] = [];
    const reasons: unknown[] = [];
    await withPostgres(databaseUrl, (locker) =>
      withPostgres(databaseUrl, async (watcher) => {
        const locking: Promise<unknown>[] = [];
        // As soon as this transaction ends, the other session gets the lock it waits for.
        const failsLate = async () => {
          const ids = others.map((id) => `'${id}'`).join();
          if (locking.length === 0) {
            locking.push(locker.query(`BEGIN; SELECT 1 FROM thread WHERE id IN (${ids}) FOR UPDATE`));
            await someLockWait(watcher);
          }
          fails();
        };
        const jobs = new Jobs();
        const submitted = others.map((id, n) => {
          const culprit = n === 5 ? [jobs.submit('fails', [own], failsLate)] : [];
          return [...culprit, jobs.submit('free', [id])];
        });
        let settled = 0;
        const results = submitted
          .flat()
          .map((job) => job.catch((error: unknown) => void reasons.push(error)).finally(() => (settled += 1)));
        // Three wait aside. On a busy machine, some may finish before the other session has locked their rows.
        await waitFor('those that find no place aside to be refused', () => settled >= 9);
        await Promise.all(locking);
        await locker.query('ROLLBACK');
        kept.push(...(await Promise.all(results)));
      }),
    );
    const refusals = reasons.filter((error) => (error as Error).message !== 'of this job alone');
    expect(refusals.length).toBeGreaterThan(0);
    expect(refusals).toHaveLength(reasons.length - 1);
    expect(refusals.map((error) => (error as { kind?: string }).kind)).toEqual(refusals.map(() => 'unavailable'));
    expect(kept.filter((done) => done !== undefined)).toHaveLength(12 - reasons.length);
  });
});

describe('A job that fails when it is written', () => {
  it('is found by halves', async () => {
    const jobs = new Jobs();
    const threadIds = newThreads(40);
    const failsLater = (drafts: UnitOfWork) => drafts.write('INSERT INTO no_such_table VALUES (1);');
    const results = await Promise.allSettled(
      threadIds.map((id, n) => jobs.submit(String(n), [id], n === 20 ? failsLater : undefined)),
    );
    expect(results.map(({ status }, n) => (status === 'rejected' ? n : -1)).filter((n) => n >= 0)).toEqual([20]);
    expect(jobs.sizes).toEqual([20, 1, 1, 2, 5, 10]);
  });
});
