import { jest } from '@jest/globals';
import { checkpoint, conversation, metaOf, newThreadId, type RunnerEvent } from '../../factories/events.js';
import { ThreadJournal } from '../../../src/modules/threads/journal/thread-journal.service.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { journalStatements } from '../../support/journal-statements.js';
import { latestOf, record } from '../../support/recording.js';

/** Messages in each thread before the measured reports. */
const LENGTH = 40;
const PADDING = 'x'.repeat(1_000);

let server: InProcessApp | null = null;
afterEach(async () => {
  await server?.stop();
  server = null;
});

async function serverWith(cacheBytes: number) {
  server = await startApp({ env: { WAYSTATION_CACHE_BYTES: String(cacheBytes) } });
  return { api: server.api, statementsOf: journalStatements(server) };
}

/** A long conversation, reported whole. */
function first(threadId: string): RunnerEvent {
  return { ...checkpoint(threadId, 0, listsFrom(0, LENGTH)), id: 'e0' };
}

/** The next step, with two new messages. */
function next(threadId: string, step: number): RunnerEvent {
  const length = LENGTH + 2 * (step - 1);
  const { type, data } = checkpoint(threadId, step, listsFrom(length, length + 2));
  return { type, id: `e${step}`, data: { history_base: { id: `e${step - 1}`, length }, ...data } };
}

function listsFrom(from: number, to: number): Record<string, unknown> {
  const history = conversation(to, PADDING);
  return { history: history.slice(from), history_meta: metaOf(history).slice(from) };
}

describe('A report on a base', () => {
  it.each([
    ['that the server has not in memory', 0],
    ['of which memory had no room for the messages', 30_000],
  ])('in a thread %s reads no messages', async (_, cacheBytes) => {
    const { api, statementsOf } = await serverWith(cacheBytes);
    const threadIds = [newThreadId(), newThreadId(), newThreadId()];
    for (const threadId of threadIds) await record(api, first(threadId));
    const { asked } = await statementsOf(async () => {
      for (const step of [1, 2]) for (const threadId of threadIds) await record(api, next(threadId, step));
    });
    expect(asked.filter((sql) => /FROM message/.test(sql))).toEqual([]);
    if (cacheBytes > 0) expect(asked.filter((sql) => /FROM (checkpoint|run)\b/.test(sql))).toEqual([]);
    for (const threadId of threadIds) {
      const { history, history_meta } = await latestOf(api, threadId);
      expect({ history, history_meta }).toEqual(listsFrom(0, LENGTH + 4));
    }
  });

  it('reads them where it leaves the last ones out, and when whole lists come again', async () => {
    const { api } = await serverWith(30_000);
    const threadIds = [newThreadId(), newThreadId(), newThreadId()];
    for (const threadId of threadIds) await record(api, first(threadId), next(threadId, 1));
    for (const threadId of threadIds) {
      const { type, data } = next(threadId, 1);
      const base = { id: 'e1', length: LENGTH };
      await record(api, { type, id: 'again', data: { ...data, history_base: base, step_index: 2 } });
      expect((await latestOf(api, threadId)).history).toEqual(conversation(LENGTH + 2, PADDING));
      await record(api, checkpoint(threadId, 3, listsFrom(0, LENGTH + 6)));
      expect((await latestOf(api, threadId)).history).toEqual(conversation(LENGTH + 6, PADDING));
    }
  });
});

it('Jobs that wait together get a transaction of their own where those before them have loaded much', async () => {
  const { api } = await serverWith(0);
  const threadIds = [newThreadId(), newThreadId(), newThreadId()];
  const blob = 'x'.repeat(17 * 1024 * 1024);
  for (const threadId of threadIds) await record(api, checkpoint(threadId, 0, { blob }));
  const journal = server!.app.get(ThreadJournal, { strict: false });
  const sizes = jest.spyOn(journal.figures.groupJobs, 'observe');
  const jobs = threadIds.map((threadId) =>
    journal.submit({
      ...{ threadIds: [threadId], bytes: 0 },
      name: 'test',
      run: async (drafts) => {
        return (await drafts.readerOf(drafts.find(threadId)!).runsOf('run-1')).length;
      },
    }),
  );
  expect(await Promise.all(jobs)).toEqual([1, 1, 1]);
  expect(sizes.mock.calls).toEqual([[2], [1]]);
});
