import { open, stat } from 'node:fs/promises';
import { DomainError } from '../../common/domain-error.js';
import { errorCode } from '../../common/error-code.js';
import type { StorageLocation } from '../data-source.options.js';
import { unusableBackup, usePostgresTools } from './backup.errors.js';
import { removeChecksum, writeChecksum } from './checksum-file.js';
import { fileExists, writeDurably } from './durable-file.js';
import { backUpSqlite } from './sqlite-backup.js';
import { restoreSqlite } from './sqlite-restore.js';

export interface BackupOptions {
  /** Whether to replace an existing file, or a storage's data. */
  force: boolean;
}

/**
 * Writes a consistent snapshot of SQLite's storage into one file of mode 0600, which is complete or absent. Servers may be running.
 * The result is a SQLite file with a checksum file beside it (`.sha256`).
 * @returns the file's size in bytes
 * @throws DomainError `use_pg_dump` on PostgreSQL, `backup_unusable`, `file_exists`, `no_storage`, or the storage's error
 */
export async function backUpStorage(
  { url, sqlitePath }: StorageLocation,
  file: string,
  { force }: BackupOptions,
): Promise<number> {
  if (url !== null) throw usePostgresTools();
  const [there, database] = await Promise.all([file, sqlitePath].map((path) => stat(path).catch(() => null)));
  const isDatabase = there && there.dev === database?.dev && there.ino === database.ino;
  if (isDatabase) throw unusableBackup(file, 'it is the database itself');
  if (there && !force) throw fileExists(file);
  await writeDurably(file, force, async (draft) => {
    await backUpSqlite(sqlitePath, draft);
    await removeChecksum(file); // of the file being replaced
  });
  await writeChecksum(file);
  return (await stat(file)).size;
}

/**
 * Replaces SQLite's storage with a backup. It first reads and checks the whole file; a restore that fails or is killed leaves the storage
 * unchanged.
 * @param tables this program's tables
 * @returns the migrations that ran afterwards, because the backup is older than the program
 * @throws DomainError `use_pg_dump` on PostgreSQL, `backup_unusable`, `storage_in_use`, `storage_not_empty`
 */
export async function restoreStorage(
  { url, sqlitePath }: StorageLocation,
  file: string,
  options: BackupOptions & { tables: readonly string[] },
): Promise<string[]> {
  if (url !== null) throw usePostgresTools();
  await assertSqlite(file);
  return restoreSqlite(file, { sqlitePath, ...options });
}

async function assertSqlite(file: string): Promise<void> {
  const start = Buffer.alloc(16);
  const handle = await open(file, 'r').catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
    throw new DomainError('not_found', 'no_backup', `There is no file ${file}.`);
  });
  await handle.read(start, 0, start.length, 0).finally(() => handle.close());
  if (start.toString('latin1') !== 'SQLite format 3\0') throw unusableBackup(file, 'it is not a backup of Waystation');
}
