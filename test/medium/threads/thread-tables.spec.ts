import { PortDataSource } from '../../../src/database/port-data-source.js';
import { UNDER_THREADS } from '../../../src/modules/health/doctor/doctor.repository.js';
import { SMALL_THREAD_TABLES } from '../../../src/modules/threads/entities/thread-tables.js';
import { ThreadJournal } from '../../../src/modules/threads/journal/thread-journal.service.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';

let server: InProcessApp;

beforeAll(async () => {
  server = await startApp();
});
afterAll(() => server.stop());

/** Say that a thread has rows that are not to be seen, or that there was one. */
const OF_NO_THREAD = ['deleted_thread', 'deletion_notice'];

describe('Every table with rows of threads', () => {
  it('is deleted, exported, imported and looked after with them', () => {
    const { entityMetadatas } = server.app.get(PortDataSource);
    const below = entityMetadatas
      .filter(({ columns }) => columns.some(({ databaseName }) => databaseName === 'thread_pk'))
      .map(({ tableName }) => tableName)
      .filter((table) => !OF_NO_THREAD.includes(table));
    const journal = server.app.get(ThreadJournal, { strict: false });
    const handled = [
      ...journal.largeTables.map(({ table }) => table),
      ...SMALL_THREAD_TABLES,
      ...journal.participantTables,
    ];
    expect(below.sort()).toEqual(handled.sort());
    expect([...UNDER_THREADS].sort()).toEqual(handled.sort());
  });

  it('has the key by which it is deleted piece by piece', () => {
    const { entityMetadatas } = server.app.get(PortDataSource);
    for (const { table, keys } of server.app.get(ThreadJournal, { strict: false }).largeTables) {
      const entity = entityMetadatas.find(({ tableName }) => tableName === table)!;
      const names = entity.primaryColumns.map(({ databaseName }) => databaseName);
      expect(['thread_pk', ...keys.split(', ')]).toEqual(names);
    }
  });
});
