import { open } from 'node:fs/promises';
import { DomainError } from '../common/domain-error.js';
import { errorCode } from '../common/error-code.js';
import { SqliteConnection } from './sqlite-connection.js';

/**
 * Keeps a second process from the same SQLite file, because it would invalidate the first one's memory. The lock is an open transaction on
 * a small file beside the database, which the operating system ends with the process, even after kill -9.
 */
export class SqliteProcessLock {
  private constructor(private readonly connection: SqliteConnection) {}

  /** @throws DomainError `storage_in_use` if another process holds the lock */
  static async acquire(databasePath: string): Promise<SqliteProcessLock> {
    const file = `${databasePath}.lock`;
    await makePrivate(file);
    const connection = await SqliteConnection.open(file, 'write');
    try {
      await connection.execute('PRAGMA busy_timeout = 1000; BEGIN EXCLUSIVE;');
      return new SqliteProcessLock(connection);
    } catch (error) {
      await connection.close().catch(() => undefined);
      throw new DomainError(
        'conflict',
        'storage_in_use',
        `Another process is serving ${databasePath}; stop it first.`,
        {
          cause: error,
        },
      );
    }
  }

  async release(): Promise<void> {
    await this.connection.close();
  }
}

/** SQLite would make it readable for everybody. Do not open an existing one: closing it would drop this process's locks on it. */
async function makePrivate(file: string): Promise<void> {
  try {
    await (await open(file, 'wx', 0o600)).close();
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}
