import { jest } from '@jest/globals';
import { Database } from '../../../src/database/database.js';
import { ThreadJournal } from '../../../src/modules/threads/journal/thread-journal.service.js';
import { newThreadId } from '../../factories/events.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';

let server: InProcessApp;
let journal: ThreadJournal;
let database: Database;

beforeAll(async () => {
  server = await startApp();
  journal = server.app.get(ThreadJournal, { strict: false });
  database = server.app.get(Database, { strict: false });
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => server.stop());

const turnOfTheLoop = () => new Promise((resolve) => setImmediate(resolve));

/** Submits one job in each turn of the event loop, as reports of several connections arrive. */
async function submitOneByOne(count: number): Promise<Promise<void>[]> {
  const submitted: Promise<void>[] = [];
  for (let n = 0; n < count; n++) {
    const threadId = newThreadId();
    const work = async (drafts: { findOrCreate(id: string): { makeKnown(): number } }) =>
      void drafts.findOrCreate(threadId).makeKnown();
    submitted.push(journal.submit({ name: 'test', threadIds: [threadId], bytes: 0, run: work }));
    await turnOfTheLoop();
  }
  return submitted;
}

/** The sizes of the groups stored after the writer, held up during `submit`, is released. */
async function sizesWith(submit: () => Promise<Promise<void>[]>): Promise<number[]> {
  const sizes: number[] = [];
  jest.spyOn(journal.figures.groupJobs, 'observe').mockImplementation((size) => void sizes.push(Number(size)));
  const submitted: Promise<void>[] = [];
  await database.transaction(async () => {
    submitted.push(...(await submit()));
  });
  await Promise.all(submitted);
  return sizes;
}

describe('While a group is being written', () => {
  it('the jobs that come become one group, and not one of each', async () => {
    const sizes = await sizesWith(async () => [
      ...(await Promise.all([submitOneByOne(1), submitOneByOne(1), submitOneByOne(1), submitOneByOne(1)])).flat(),
      ...(await submitOneByOne(3)),
    ]);
    if (server.storage.dialect === 'sqlite') expect(sizes).toEqual([4, 3]);
    else expect(sizes).toContain(4); // there it has a connection of its own: it is soon written, in any order with the others
    expect(sizes.reduce((sum, size) => sum + size)).toBe(7);
  });

  it('they are worked out beside it as soon as they are as many', async () => {
    const sizes = await sizesWith(async () => [
      ...(await Promise.all([submitOneByOne(1), submitOneByOne(1)])).flat(),
      ...(await submitOneByOne(2)),
      ...(await submitOneByOne(3)),
    ]);
    if (server.storage.dialect === 'sqlite') expect(sizes).toEqual([2, 2, 3]);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(7);
  });
});
