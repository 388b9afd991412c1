import { stat } from 'node:fs/promises';
import { DomainError } from '../common/domain-error.js';
import { isFileExists, writeDurably } from './backup/durable-file.js';
import { SqliteConnection } from './sqlite-connection.js';

export const SQLITE_PAGE_BYTES = 8192;

/** Page size and vacuum mode can only be set before the first table exists: see docs/adr/0003. */
const FIRST_PRAGMAS = `PRAGMA page_size = ${SQLITE_PAGE_BYTES}; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;`;

/**
 * Creates a storage's file, mode 0600, if there is none; SQLite gives the files beside it the same mode. A new file appears with its
 * header, so a file of 0 bytes was never just interrupted: it has lost its data.
 * @throws DomainError `storage_corrupt` for a file of 0 bytes, or a log without its file
 */
export async function ensureSqliteFile(path: string): Promise<void> {
  await refuseEmptyFile(path);
  if ((await sizeOf(path)) !== null) return prepare(path);
  if (((await sizeOf(`${path}-wal`)) ?? 0) > 0) throw lostFile(`${path} is missing, but its log ${path}-wal is there.`);
  await writeDurably(path, false, prepare).catch((error: unknown) => {
    if (!isFileExists(error)) throw error; // another process that started at the same moment was first
  });
}

/** @throws DomainError `storage_corrupt` if the file exists with 0 bytes, which SQLite would take for a new database */
export async function refuseEmptyFile(path: string): Promise<void> {
  if ((await sizeOf(path)) === 0) throw lostFile(`${path} has 0 bytes: what it held is lost.`);
}

function lostFile(what: string): DomainError {
  const message = `${what} Restore a backup; if nothing was ever stored there, remove the file and start again.`;
  return new DomainError('unavailable', 'storage_corrupt', message);
}

async function prepare(path: string): Promise<void> {
  const connection = await SqliteConnection.open(path, 'write');
  try {
    await connection.execute(FIRST_PRAGMAS);
  } finally {
    await connection.close();
  }
}

async function sizeOf(path: string): Promise<number | null> {
  return stat(path).then(
    ({ size }) => size,
    () => null,
  );
}
