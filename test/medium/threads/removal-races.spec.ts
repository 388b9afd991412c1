import { jest } from '@jest/globals';
import { Database } from '../../../src/database/database.js';
import { ThreadCleanupService } from '../../../src/modules/threads/deletion/thread-cleanup.service.js';
import { ThreadDeletionRepository } from '../../../src/modules/threads/deletion/thread-deletion.repository.js';
import { JournalParticipants } from '../../../src/modules/threads/journal/store/journal-participants.service.js';
import { checkpoint, conversation, newThreadId } from '../../factories/events.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { someLockWait } from '../../support/locked-rows.js';
import { record, threadPath } from '../../support/recording.js';
import { withPostgres } from '../../support/storage.js';
import { waitFor } from '../../support/wait.js';

/** Its private members. */
interface Removal {
  removeSome(large: { table: string }, pk: number): Promise<boolean>;
}

let server: InProcessApp;
let database: Database;

beforeAll(async () => {
  server = await startApp();
  database = server.app.get(Database, { strict: false });
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => server.stop());

/** More messages than one transaction of a removal deletes. */
async function recordMuch(threadId: string): Promise<number> {
  await record(server.api, checkpoint(threadId, 0, { history: conversation(1500) }));
  const [row] = await database.read<{ pk: number }>('SELECT pk FROM thread WHERE id = $1', [threadId]);
  return row!.pk;
}

async function leftOf(pk: number): Promise<{ notes: number; messages: number } | undefined> {
  const sql = `SELECT (SELECT COUNT(*) FROM deleted_thread WHERE thread_pk = $1) AS notes,
    (SELECT COUNT(*) FROM message WHERE thread_pk = $1) AS messages`;
  return (await database.read<{ notes: number; messages: number }>(sql, [pk]))[0];
}

describe('The removal of a deleted thread', () => {
  it('goes on to the last row where another server that was at the same rows dies', async () => {
    const { databaseUrl } = server.storage;
    if (databaseUrl === null) return;
    const pk = await recordMuch(newThreadId());
    await database.transaction((session) =>
      session.execute(
        `DELETE FROM thread WHERE pk = ${pk}; INSERT INTO deleted_thread(thread_pk, deleted_at) VALUES (${pk}, ${Date.now()});`,
      ),
    );
    const { largeTables } = server.app.get(JournalParticipants, { strict: false });
    const removal = server.app.get(ThreadDeletionRepository, { strict: false });
    await withPostgres(databaseUrl, async (other) => {
      await other.query(
        `BEGIN; DELETE FROM message WHERE thread_pk = ${pk} AND (list, seq) IN
           (SELECT list, seq FROM message WHERE thread_pk = ${pk} ORDER BY list, seq LIMIT 1000)`,
      );
      const removed = removal.removeRest(pk, largeTables);
      await withPostgres(databaseUrl, (watcher) => someLockWait(watcher));
      await other.query('COMMIT'); // and nothing more
      await removed;
    });
    expect(await leftOf(pk)).toEqual({ notes: 0, messages: 0 });
  });

  it('that is under way is left to itself by the rounds of its own server, however long it takes', async () => {
    const threadId = newThreadId();
    const pk = await recordMuch(threadId);
    const removal = server.app.get<Removal>(ThreadDeletionRepository, { strict: false });
    const removeSome = removal.removeSome.bind(removal);
    let goOn = () => undefined as void;
    const isHeld = new Promise<void>((resolve) => (goOn = resolve));
    const pieces = jest.spyOn(removal, 'removeSome').mockImplementation(async (...args) => {
      if (args[1] === pk) await isHeld;
      return removeSome(...args);
    });
    const begun = () => pieces.mock.calls.filter(([, threadPk]) => threadPk === pk).length;
    const answer = server.api.delete(threadPath(threadId));
    try {
      await waitFor('the removal to begin', () => begun() > 0);
      await database.transaction((session) =>
        session.query('UPDATE deleted_thread SET deleted_at = 1 WHERE thread_pk = $1', [pk]),
      );
      const cleanup = server.app.get(ThreadCleanupService, { strict: false });
      const repository = server.app.get(ThreadDeletionRepository, { strict: false });
      const forgotten = jest.spyOn(repository, 'forgetNotices');
      cleanup.onApplicationBootstrap();
      await waitFor('the round to pass it by', () => forgotten.mock.calls.length > 0 || begun() > 1);
      expect(begun()).toBe(1);
    } finally {
      goOn();
    }
    expect((await answer).status).toBe(204);
    expect(await leftOf(pk)).toEqual({ notes: 0, messages: 0 });
  });
});
