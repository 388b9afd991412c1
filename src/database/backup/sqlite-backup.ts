import { access } from 'node:fs/promises';
import { DomainError } from '../../common/domain-error.js';
import { toDatabaseFault } from '../database-fault.js';
import { SqliteConnection } from '../sqlite-connection.js';
import { refuseEmptyFile } from '../sqlite-file.js';
import { sqlLiteral } from '../sql-literal.js';

/** Writes a consistent, compact copy of the database into the empty file and checks it. A server may be running. */
export async function backUpSqlite(sqlitePath: string, file: string): Promise<void> {
  await access(sqlitePath).catch((cause: unknown) => {
    throw new DomainError('not_found', 'no_storage', `There is no database ${sqlitePath}.`, { cause });
  });
  await refuseEmptyFile(sqlitePath);
  const source = await SqliteConnection.open(sqlitePath, 'read');
  try {
    await source.execute(`PRAGMA busy_timeout = 5000; VACUUM INTO ${sqlLiteral(file, 'sqlite')}`);
  } catch (error) {
    throw toDatabaseFault(error);
  } finally {
    await source.close();
  }
  const fault = await faultIn(file, 'quick_check');
  if (fault === null) return;
  throw new DomainError(
    'unavailable',
    'storage_corrupt',
    `The copy is damaged, and the database may be, too: ${fault}`,
  );
}

/** SQLite's findings about a file without writers; null if it is sound. */
export async function faultIn(file: string, check: 'quick_check' | 'integrity_check'): Promise<string | null> {
  const connection = await SqliteConnection.open(file, 'immutable');
  try {
    const [row] = await connection.query<Record<string, string>>(`PRAGMA ${check}(1)`);
    const said = row?.[check] ?? 'no answer';
    return said === 'ok' ? null : said;
  } catch (error) {
    return (error as Error).message;
  } finally {
    await connection.close();
  }
}
