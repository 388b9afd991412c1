import { jest } from '@jest/globals';
import { checkpoint, newThreadId } from '../../factories/events.js';
import { ThreadJournal, type UnitOfWork } from '../../../src/modules/threads/journal/thread-journal.service.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { withLocked } from '../../support/locked-rows.js';
import { latestOf, record } from '../../support/recording.js';

let server: InProcessApp;
let journal: ThreadJournal;

beforeAll(async () => {
  server = await startApp();
  journal = server.app.get(ThreadJournal, { strict: false });
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => server.stop());

/** The order in which jobs were worked out at last, as a transaction that fails is worked out again. */
class Jobs {
  readonly done: string[] = [];
  /** Jobs of each transaction that was stored. */
  readonly sizes: number[] = [];

  constructor() {
    jest.spyOn(journal.figures.groupJobs, 'observe').mockImplementation((size) => void this.sizes.push(Number(size)));
  }

  submit(name: string, threadIds: readonly string[], work: (drafts: UnitOfWork) => void = () => undefined) {
    return journal
      .submit({ threadIds, bytes: 0, work: async (drafts) => work(drafts) })
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
});
