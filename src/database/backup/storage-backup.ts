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
  /** The tables of this program; others that stand beside them in PostgreSQL are left alone. */
  tables: readonly string[];
  /** Whether a file, or the data of a storage, that is in the way is replaced. */
  force: boolean;
}

/**
 * Writes everything that is stored, as of one moment, into one file of mode 0600 that is complete or not there. Servers may run.
 * SQLite gives a SQLite file with its checksum in a second one beside it (`.sha256`), PostgreSQL compressed JSON lines with theirs inside.
 * @returns the size of the file in bytes
 * @throws DomainError `file_exists`, `no_storage`, or what the storage says
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
 * Puts a backup in the place of all that is stored. The file is read and checked as a whole first; a restore that fails, or is
 * killed, leaves the storage as it was.
 * @returns the migrations that were run afterwards, because the backup is older than the program
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
