import { chmod, copyFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { makeFolder } from '../../common/make-folder.js';
import { errorCode } from '../../common/error-code.js';
import { migrateUp } from '../migrator.js';
import { SqliteConnection } from '../sqlite-connection.js';
import { SqliteProcessLock } from '../sqlite-process-lock.js';
import { storageInUse, storageNotEmpty, unusableBackup } from './backup.errors.js';
import { isAsWritten } from './checksum-file.js';
import { replaceFile } from './durable-file.js';
import { unknownMigrations, usedTables } from './schema-check.js';
import { faultIn } from './sqlite-backup.js';

export interface SqliteRestoreOrder {
  sqlitePath: string;
  /** The tables of this program. */
  tables: readonly string[];
  force: boolean;
}

/**
 * Replaces the database file with the backup. Every step that can fail works on a copy beside it; a final rename decides.
 * @returns the migrations that ran on the copy, because the backup is older than the program
 */
export async function restoreSqlite(file: string, order: SqliteRestoreOrder): Promise<string[]> {
  await verify(file);
  const { sqlitePath } = order;
  makeFolder(path.dirname(sqlitePath), 0o700);
  const lock = await SqliteProcessLock.acquire(sqlitePath);
  const draft = `${sqlitePath}.restoring`;
  try {
    if (!order.force && !(await isEmpty(order))) throw storageNotEmpty();
    await removeFiles(draft); // of a killed restore
    await copyFile(file, draft);
    await chmod(draft, 0o600);
    const newer = await migrateUp({ url: null, sqlitePath: draft });
    await signEverybodyOut(draft);
    const fault = await faultIn(draft, 'quick_check');
    if (fault !== null) throw unusableBackup(file, fault);
    await settle(sqlitePath);
    await replaceFile(draft, sqlitePath);
    return newer;
  } finally {
    await removeFiles(draft);
    await lock.release();
  }
}

/** A session ended after the backup must not come back with it. */
async function signEverybodyOut(sqlitePath: string): Promise<void> {
  const connection = await SqliteConnection.open(sqlitePath, 'write');
  try {
    await connection.execute('DELETE FROM console_code; DELETE FROM console_session');
  } finally {
    await connection.close();
  }
}

async function verify(file: string): Promise<void> {
  const log = await sizeOf(`${file}-wal`);
  if (log > 0)
    throw unusableBackup(file, 'it is in use or was copied while in use; use a file from `waystation backup`');
  if ((await isAsWritten(file)) === false) {
    throw unusableBackup(file, 'it does not match its checksum, so it is damaged');
  }
  const fault = await faultIn(file, 'integrity_check');
  if (fault !== null) throw unusableBackup(file, fault);
  const connection = await SqliteConnection.open(file, 'immutable');
  try {
    const rows = await connection.query<{ name: string }>('SELECT name FROM migration').catch(() => []);
    if (rows.length === 0) throw unusableBackup(file, 'it is not a backup of Waystation');
    if (unknownMigrations(rows.map(({ name }) => name)).length === 0) return;
    throw unusableBackup(file, 'a newer version made it; restore it with that version');
  } finally {
    await connection.close();
  }
}

async function isEmpty({ sqlitePath, tables }: SqliteRestoreOrder): Promise<boolean> {
  if ((await sizeOf(sqlitePath)) === 0) return true;
  const connection = await SqliteConnection.open(sqlitePath, 'write');
  try {
    const rows = await connection.query<{ name: string }>(`SELECT name FROM sqlite_master WHERE type = 'table'`);
    const names = new Set(rows.map(({ name }) => name));
    for (const table of usedTables(tables).filter((name) => names.has(name))) {
      if ((await connection.query(`SELECT 1 FROM "${table}" LIMIT 1`)).length > 0) return false;
    }
    return true;
  } catch {
    return false; // damaged, but it still has data to lose
  } finally {
    await connection.close();
  }
}

/**
 * Merges the old file's write-ahead log into it, which removes the log: SQLite would replay it into the new file. A damaged file's log is
 * useless.
 * @throws DomainError `storage_in_use` if another program still has it open
 */
async function settle(sqlitePath: string): Promise<void> {
  if ((await sizeOf(sqlitePath)) > 0) {
    const connection = await SqliteConnection.open(sqlitePath, 'write');
    const isSound = await connection.query('PRAGMA wal_checkpoint(TRUNCATE)').then(
      () => true,
      (error: unknown) => errorCode(error) === 'SQLITE_BUSY',
    );
    await connection.close();
    if (isSound && (await sizeOf(`${sqlitePath}-wal`, -1)) >= 0) {
      throw storageInUse('another program has the file open');
    }
  }
  await rm(`${sqlitePath}-wal`, { force: true });
  await rm(`${sqlitePath}-shm`, { force: true });
}

async function sizeOf(file: string, absent = 0): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => absent,
  );
}

async function removeFiles(file: string): Promise<void> {
  for (const end of ['', '-journal', '-wal', '-shm', '.lock']) await rm(`${file}${end}`, { force: true });
}
