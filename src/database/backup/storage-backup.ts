import { open, stat } from 'node:fs/promises';
import { DomainError } from '../../common/domain-error.js';
import { errorCode } from '../../common/error-code.js';
import type { StorageLocation } from '../data-source.options.js';
import { unusableBackup } from './backup.errors.js';
import { removeChecksum, writeChecksum } from './checksum-file.js';
import { fileExists, writeDurably } from './durable-file.js';
import { backUpPostgres } from './postgres-backup.js';
import { restorePostgres } from './postgres-restore.js';
import { backUpSqlite } from './sqlite-backup.js';
import { restoreSqlite } from './sqlite-restore.js';

export interface BackupOptions {
  /** The tables of this program; it ignores others in PostgreSQL. */
  tables: readonly string[];
  /** Whether to replace an existing file, or the data of a storage. */
  force: boolean;
}

/**
 * Writes a consistent snapshot of the storage into one file of mode 0600, which is complete or absent. Servers may run.
 * For SQLite it is a SQLite file with a checksum file beside it (`.sha256`), for PostgreSQL compressed JSON lines that include theirs.
 * @returns the size of the file in bytes
 * @throws DomainError `file_exists`, `no_storage`, or the storage's error
 */
export async function backUpStorage(
  { url, sqlitePath }: StorageLocation,
  file: string,
  { tables, force }: BackupOptions,
): Promise<number> {
  const isThere = await stat(file).then(
    () => true,
    () => false,
  );
  if (isThere && !force) throw fileExists(file);
  await writeDurably(file, force, async (draft) => {
    await (url === null ? backUpSqlite(sqlitePath, draft) : backUpPostgres(url, tables, draft));
    await removeChecksum(file); // of the one that is replaced now
  });
  if (url === null) await writeChecksum(file);
  return (await stat(file)).size;
}

/**
 * Replaces the storage with a backup. It first reads and checks the whole file; a restore that fails, or is
 * killed, leaves the storage as it was.
 * @returns the migrations that it ran afterwards, because the backup is older than the program
 * @throws DomainError `backup_unusable`, `storage_in_use`, `storage_not_empty`
 */
export async function restoreStorage(
  { url, sqlitePath }: StorageLocation,
  file: string,
  options: BackupOptions,
): Promise<string[]> {
  const kind = await kindOf(file);
  if (kind === (url === null ? 'postgres' : 'sqlite')) {
    throw unusableBackup(
      file,
      url === null
        ? 'it is a backup of PostgreSQL, and DATABASE_URL is not set'
        : 'it is a SQLite database; `waystation migrate-data --from sqlite:FILE` moves one to PostgreSQL',
    );
  }
  return url === null ? restoreSqlite(file, { sqlitePath, ...options }) : restorePostgres(file, { url, ...options });
}

async function kindOf(file: string): Promise<'sqlite' | 'postgres'> {
  const start = Buffer.alloc(16);
  const handle = await open(file, 'r').catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
    throw new DomainError('not_found', 'no_backup', `There is no file ${file}.`);
  });
  await handle.read(start, 0, start.length, 0).finally(() => handle.close());
  if (start.toString('latin1') === 'SQLite format 3\0') return 'sqlite';
  if (start[0] === 0x1f && start[1] === 0x8b) return 'postgres';
  throw unusableBackup(file, 'it is not a backup of Waystation');
}
