import { Database } from '../../../src/database/database.js';
import { PortDataSource } from '../../../src/database/port-data-source.js';
import { TABLES_OF_THREADS } from '../../../src/modules/health/doctor/doctor.repository.js';
import { SMALL_THREAD_TABLES } from '../../../src/modules/threads/entities/thread-tables.js';
import { JournalParticipants } from '../../../src/modules/threads/journal/store/journal-participants.service.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';

let server: InProcessApp;

beforeAll(async () => {
  server = await startApp();
});
afterAll(() => server.stop());

/** These mark threads with hidden rows, or deleted ones. */
const OF_NO_THREAD = ['deleted_thread', 'deletion_notice'];

describe('Every table with rows of threads', () => {
  it('is deleted, exported, imported and looked after with them', () => {
    const { entityMetadatas } = server.app.get(PortDataSource);
    const below = entityMetadatas
      .filter(({ columns }) => columns.some(({ databaseName }) => databaseName === 'thread_pk'))
      .map(({ tableName }) => tableName)
      .filter((table) => !OF_NO_THREAD.includes(table));
    const participants = server.app.get(JournalParticipants, { strict: false });
    const handled = [
      ...participants.largeTables.map(({ table }) => table),
      ...SMALL_THREAD_TABLES,
      ...participants.tables,
    ];
    expect(below.sort()).toEqual(handled.sort());
    expect([...TABLES_OF_THREADS].sort()).toEqual(handled.sort());
  });

  it('has the key by which it is deleted piece by piece', () => {
    const { entityMetadatas } = server.app.get(PortDataSource);
    for (const { table, keys } of server.app.get(JournalParticipants, { strict: false }).largeTables) {
      const entity = entityMetadatas.find(({ tableName }) => tableName === table)!;
      const names = entity.primaryColumns.map(({ databaseName }) => databaseName);
      expect(['thread_pk', ...keys.split(', ')]).toEqual(names);
    }
  });

  it('has no default for a column that may be null: the journal leaves out what is null in all rows of a statement', async () => {
    const database = server.app.get(Database, { strict: false });
    const found = await database.read<{ name: string }>(COLUMNS_WITH_DEFAULTS[database.dialect]);
    expect(found.map(({ name }) => name)).toEqual([]);
  });
});

/** Columns that may be null and have a default that is not null. */
const COLUMNS_WITH_DEFAULTS = {
  sqlite: `SELECT t.name || '.' || c.name AS name FROM sqlite_master t, pragma_table_info(t.name) c
    WHERE t.type = 'table' AND c."notnull" = 0 AND c.pk = 0 AND c.dflt_value IS NOT NULL`,
  postgres: `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
    WHERE table_schema = current_schema() AND is_nullable = 'YES' AND column_default IS NOT NULL`,
};
