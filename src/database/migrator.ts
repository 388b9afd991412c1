import { DataSource } from 'typeorm';
import { DomainError } from '../common/domain-error.js';
import { VERSION } from '../common/version.js';
import { ADVISORY_LOCKS } from './advisory-locks.js';
import { refuseWhileServersRun } from './postgres-servers.js';
import { unknownMigrations } from './backup/schema-check.js';
import { connectionFault } from './connection-fault.js';
import { dataSourceOptions, MIGRATION_TABLE, type MigrationList, type StorageLocation } from './data-source.options.js';
import { MIGRATIONS } from './migrations.js';
import { openingFault } from './opening-fault.js';
import { assertMeetsRequirements } from './postgres-requirements.js';
import { ensureSqliteFile } from './sqlite-file.js';
import { SqliteProcessLock } from './sqlite-process-lock.js';

/** Exists in PostgreSQL during a move to it, and holds the progress: see transfer/. */
export const TRANSFER_TABLE = 'data_transfer';

/**
 * Migrates the schema, under a lock if several instances may start at once. Returns the names of the migrations that ran.
 * @throws DomainError `storage_newer` before any change; `transfer_unfinished` while a storage is only half moved to this one
 */
export async function migrateUp(location: StorageLocation, migrations: MigrationList = MIGRATIONS): Promise<string[]> {
  return withDataSource(location, migrations, async (source) => {
    await refuseNewer(source, location, migrations);
    if (location.url !== null) await refuseHalfMoved(source);
    return (await source.runMigrations()).map(({ name }) => name);
  });
}

/**
 * Reverts the newest migration. Returns its name, or null if there is none.
 * @throws DomainError `storage_in_use` while a server uses the storage; `storage_newer`
 */
export async function migrateDown(
  location: StorageLocation,
  migrations: MigrationList = MIGRATIONS,
): Promise<string | null> {
  return withDataSource(location, migrations, async (source) => {
    await refuseNewer(source, location, migrations);
    if (location.url !== null) await refuseWhileUsed(source);
    const [newest] = await source.query(`SELECT name FROM ${MIGRATION_TABLE} ORDER BY id DESC LIMIT 1`);
    if (!newest) return null;
    await source.undoLastMigration();
    return String(newest.name);
  });
}

async function withDataSource<T>(
  location: StorageLocation,
  migrations: MigrationList,
  work: (source: DataSource) => Promise<T>,
): Promise<T> {
  if (location.url === null) return withFile(location, migrations, work);
  await assertMeetsRequirements(location.url);
  const source = new DataSource(dataSourceOptions(location, [], migrations));
  try {
    await source.initialize();
    return await underAdvisoryLock(source, work);
  } catch (error) {
    throw connectionFault(error, location.url);
  } finally {
    if (source.isInitialized) await source.destroy();
  }
}

async function withFile<T>(
  location: StorageLocation,
  migrations: MigrationList,
  work: (source: DataSource) => Promise<T>,
): Promise<T> {
  const source = new DataSource(dataSourceOptions(location, [], migrations));
  let lock: SqliteProcessLock | null = null;
  try {
    await ensureSqliteFile(location.sqlitePath);
    lock = await SqliteProcessLock.acquire(location.sqlitePath); // a running server would not know the new schema
    await source.initialize();
    return await work(source);
  } catch (error) {
    throw openingFault(error, location.sqlitePath);
  } finally {
    if (source.isInitialized) await source.destroy();
    await lock?.release();
  }
}

/** This program would misread a newer one's data. */
async function refuseNewer(source: DataSource, { url, sqlitePath }: StorageLocation, migrations: MigrationList) {
  const runner = source.createQueryRunner();
  try {
    if (!(await runner.hasTable(MIGRATION_TABLE))) return;
    const rows = (await runner.query(`SELECT name FROM ${MIGRATION_TABLE} ORDER BY id`)) as { name: string }[];
    const unknown = unknownMigrations(
      rows.map(({ name }) => name),
      migrations,
    );
    if (unknown.length > 0) throw storageNewer(url === null ? sqlitePath : 'The database', unknown);
  } finally {
    await runner.release();
  }
}

function storageNewer(storage: string, unknown: readonly string[]): DomainError {
  const message = `${storage} was upgraded by a newer version of Waystation (${VERSION} does not know the migration ${unknown.join(', ')}): start the newer version, or see "Going back" in docs/guides/operations.md.`;
  return new DomainError('conflict', 'storage_newer', message);
}

async function refuseWhileUsed(source: DataSource): Promise<void> {
  const [found] = await source.query<{ is_there: boolean }[]>(
    `SELECT to_regclass(format('%I.instance', current_schema())) IS NOT NULL AS is_there`,
  );
  await refuseWhileServersRun((sql) => source.query<object[]>(sql), found?.is_there === true);
}

async function refuseHalfMoved(source: DataSource): Promise<void> {
  const sql = `SELECT to_regclass(format('%I.${TRANSFER_TABLE}', current_schema())) IS NOT NULL AS is_there`;
  const [found] = await source.query<{ is_there: boolean }[]>(sql);
  if (!found?.is_there) return;
  const message = 'A SQLite file is being moved to this database; let `waystation migrate-data` finish first.';
  throw new DomainError('conflict', 'transfer_unfinished', message);
}

async function underAdvisoryLock<T>(source: DataSource, work: (source: DataSource) => Promise<T>): Promise<T> {
  const holder = source.createQueryRunner();
  await holder.connect();
  try {
    await holder.query(`SELECT pg_advisory_lock(${ADVISORY_LOCKS.migration})`);
    return await work(source);
  } finally {
    await holder.query(`SELECT pg_advisory_unlock(${ADVISORY_LOCKS.migration})`).catch(() => undefined);
    await holder.release();
  }
}
