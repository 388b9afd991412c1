import { jest } from '@jest/globals';
import { Database } from '../../src/database/database.js';
import { StateClearingRepository } from '../../src/modules/graph-states/state-clearing.repository.js';
import { StateLeftoversRepository } from '../../src/modules/graph-states/state-leftovers.repository.js';
import { ThreadJournal } from '../../src/modules/threads/journal/thread-journal.service.js';
import { newThreadId } from '../factories/events.js';
import { startApp, type InProcessApp } from '../support/in-process-app.js';
import { migrateAgain } from '../support/migrate-again.js';
import { problemOf } from '../support/problem.js';
import { threadPath } from '../support/recording.js';
import { freshStorage } from '../support/storage.js';
import { b64, deleteStates, digestOf, putState, stateOf, valuesOf } from '../support/states.js';

let server: InProcessApp;
let leftovers: StateLeftoversRepository;

beforeAll(async () => {
  server = await startApp();
  leftovers = server.app.get(StateLeftoversRepository, { strict: false });
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => server.stop());

/** Deletes them; runs the work after the search for checkpoints that use their values, and before their deletion. */
async function deletedWhile(threadId: string, ids: string[], work: () => Promise<unknown>): Promise<void> {
  jest.spyOn(leftovers, 'named').mockImplementationOnce(async (...args) => {
    const found = await StateLeftoversRepository.prototype.named.apply(leftovers, args);
    await work();
    return found;
  });
  expect((await remove(threadId, ids)).status).toBe(204);
}

function remove(threadId: string, ids: string[]) {
  return deleteStates(
    server.api,
    threadId,
    ids.map((checkpoint_id) => ({ checkpoint_id })),
  );
}

async function put(threadId: string, id: string, values: object) {
  return (await putState(server.api, threadId, id, { values })).status;
}

const ONE = { x: { version: 1, type: 'json', digest: digestOf('"one"') } };

describe('The values of checkpoints that are deleted', () => {
  it('stay where a checkpoint is stored meanwhile that names them, however many others come and go', async () => {
    const threadId = newThreadId();
    await put(threadId, 'c', valuesOf({ x: 'one', y: 'two' }));
    await deletedWhile(threadId, ['c'], async () => expect(await put(threadId, 'd', ONE)).toBe(201));
    await deletedWhile(threadId, ['d'], async () => {
      expect(await put(threadId, 'e', ONE)).toBe(201);
      await deletedWhile(threadId, ['e'], async () => expect(await put(threadId, 'f', ONE)).toBe(201));
    });
    expect((await stateOf(server.api, threadId, 'f')).values.x!.data).toBe(b64('"one"'));
    // After a replacement and a deletion, the note of another search must not permit the deletion.
    await deletedWhile(threadId, ['f'], async () => {
      await put(threadId, 'g', ONE);
      await put(threadId, 'g', {});
      expect(await put(threadId, 'h', valuesOf({ x: 'one' }))).toBe(201);
      await put(threadId, 'g', ONE);
      await put(threadId, 'g', {});
    });
    expect((await stateOf(server.api, threadId, 'h')).values.x!.data).toBe(b64('"one"'));
    await remove(threadId, ['h']);
    const two = { y: { version: 1, type: 'json', digest: digestOf('"two"') } };
    for (const values of [ONE, two]) problemOf(await putState(server.api, threadId, 'i', { values }), 409);
  });

  it('go with the next deletion where one ended before them, even with one that finds no checkpoint', async () => {
    const threadId = newThreadId();
    for (const again of [['c'], []] as const) {
      await put(threadId, 'c', valuesOf({ x: 'one' }));
      jest.spyOn(leftovers, 'named').mockRejectedValueOnce(new Error('the process ends'));
      problemOf(await remove(threadId, ['c']), 500);
      if (again.length > 0) await remove(threadId, [...again]);
      else expect((await server.api.delete(`/v1/runners/threads/${threadId}/state`)).status).toBe(204);
      problemOf(await putState(server.api, threadId, 'd', { values: ONE }), 409);
    }
    expect(await server.app.get(Database).read('SELECT * FROM state_leftover')).toEqual([]);
  });

  it('are all that is looked at, and nothing is where no checkpoint was there', async () => {
    const threadId = newThreadId();
    await put(threadId, 'c', valuesOf({ x: 'one' }));
    await put(threadId, 'd', valuesOf({ y: 'two' }));
    const searches = jest.spyOn(leftovers, 'named');
    await remove(threadId, ['absent']);
    expect(searches).not.toHaveBeenCalled();
    await remove(threadId, ['c', 'absent']);
    expect(searches.mock.calls.map(([, values]) => values.map(({ digest }) => digest))).toEqual([[ONE.x.digest]]);
  });
});

it('All states of a thread are deleted in that thread alone, not in one of the same id that begins meanwhile', async () => {
  const threadId = newThreadId();
  await put(threadId, 'c', valuesOf({ x: 'one' }));
  const journal = server.app.get(ThreadJournal, { strict: false });
  const submit = journal.submit.bind(journal);
  let isBetween = false;
  const clearing = server.app.get(StateClearingRepository, { strict: false });
  jest.spyOn(clearing, 'piece').mockImplementationOnce(async () => {
    isBetween = true;
    return { statements: [], next: 'states' };
  });
  jest.spyOn(journal, 'submit').mockImplementation(async (job) => {
    if (isBetween) {
      isBetween = false;
      expect((await server.api.delete(threadPath(threadId))).status).toBe(204);
      expect(await put(threadId, 'd', valuesOf({ x: 'two' }))).toBe(201);
    }
    return submit(job);
  });
  expect((await server.api.delete(`/v1/runners/threads/${threadId}/state`)).status).toBe(204);
  expect(isBetween).toBe(false);
  expect((await stateOf(server.api, threadId, 'd')).values.x!.data).toBe(b64('"two"'));
});

it('Values that were left over before they were noted go with the next deletion, and those that are named stay', async () => {
  const storage = await freshStorage();
  const threadId = newThreadId();
  let own = await startApp({ storage });
  for (const values of [valuesOf({ x: 'one' }), {}]) await putState(own.api, threadId, 'c', { values });
  await putState(own.api, threadId, 'd', { values: valuesOf({ y: 'two' }) });
  await own.stop();
  await migrateAgain(storage, 'StateLeftovers');
  own = await startApp({ storage });
  expect((await deleteStates(own.api, threadId, [{ checkpoint_id: 'absent' }])).status).toBe(204);
  problemOf(await putState(own.api, threadId, 'e', { values: ONE }), 409);
  expect((await stateOf(own.api, threadId, 'd')).values.y!.data).toBe(b64('"two"'));
  expect(await own.app.get(Database).read('SELECT * FROM state_leftover')).toEqual([]);
  await own.stop();
  await storage.dispose();
});
