import { DomainError } from '../../src/common/domain-error.js';
import type { Database, SqlRow, SqlSession, SqlParams } from '../../src/database/database.js';

type Statement = (sql: string, params: SqlParams) => boolean;

/** Lets a database fail at will, as a full disk does: the statement is not done, and its transaction is rolled back. */
export class FailingState {
  /** How many statements failed. */
  failures = 0;
  private isFailing: Statement = () => false;

  constructor(database: Database) {
    const { transaction, read } = database;
    database.transaction = <T>(work: (session: SqlSession) => Promise<T>) =>
      transaction.call(database, (session) => work(this.watched(session))) as Promise<T>;
    database.read = async <T extends object = SqlRow>(sql: string, params: SqlParams = []) => {
      this.check(sql, params);
      return read.call(database, sql, params) as Promise<T[]>;
    };
  }

  /** From now on these statements fail, until `recover`. */
  failAt(isFailing: Statement): void {
    this.failures = 0;
    this.isFailing = isFailing;
  }

  recover(): void {
    this.isFailing = () => false;
  }

  private watched(session: SqlSession): SqlSession {
    return {
      execute: (script) => session.execute(script),
      query: async (sql, params = []) => {
        this.check(sql, params);
        return session.query(sql, params);
      },
    };
  }

  private check(sql: string, params: SqlParams): void {
    if (!this.isFailing(sql, params)) return;
    this.failures += 1;
    throw new DomainError('storage_full', 'storage_full', 'The storage is full; nothing was saved.');
  }
}
