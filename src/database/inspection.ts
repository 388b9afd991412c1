import { stat } from 'node:fs/promises';
import type { StorageLocation } from './data-source.options.js';
import type { Database, SqlReader, SqlValue } from './database.js';
import { toDatabaseFault } from './database-fault.js';
import { connectPostgres } from './postgres-connection.js';
import { NO_LIMITS } from './postgres-session.js';
import { SqliteConnection } from './sqlite-connection.js';
import { refuseEmptyFile } from './sqlite-file.js';

const LIMITS = { ...NO_LIMITS, statementMs: 120_000 };

/** Reads a storage from outside, with or without running servers; cannot write. */
export interface Inspection extends SqlReader {
  readonly dialect: Database['dialect'];
  close(): Promise<void>;
}

/**
 * Null if there is no SQLite file yet.
 * @throws DomainError, or the driver's error, if the storage cannot be opened
 */
export async function openInspection({ url, sqlitePath }: StorageLocation): Promise<Inspection | null> {
  return url === null ? inspectSqlite(sqlitePath) : inspectPostgres(url);
}

async function inspectSqlite(path: string): Promise<Inspection | null> {
  const exists = (file: string) =>
    stat(file).then(
      () => true,
      () => false,
    );
  if (!(await exists(path))) return null;
  await refuseEmptyFile(path);
  // Without a log no server has it open. A normal read would create one.
  const mode = (await exists(`${path}-wal`)) ? 'read' : 'immutable';
  const connection = await SqliteConnection.open(path, mode).catch((error: unknown) => {
    throw toDatabaseFault(error);
  });
  await connection.execute('PRAGMA query_only = TRUE; PRAGMA busy_timeout = 5000;');
  return {
    dialect: 'sqlite',
    query: <T extends object>(sql: string, params: readonly SqlValue[] = []) =>
      connection.query<T>(sql, params).catch((error: unknown) => {
        throw toDatabaseFault(error);
      }),
    close: () => connection.close(),
  };
}

async function inspectPostgres(url: string): Promise<Inspection> {
  const client = await connectPostgres({ url, name: 'waystation-doctor', limits: LIMITS });
  await client.query('SET default_transaction_read_only = on');
  return {
    dialect: 'postgres',
    query: async <T extends object>(sql: string, params: readonly SqlValue[] = []) => {
      try {
        return (await client.query<T>(sql, [...params])).rows;
      } catch (error) {
        throw toDatabaseFault(error);
      }
    },
    close: () => client.end().catch(() => undefined),
  };
}
