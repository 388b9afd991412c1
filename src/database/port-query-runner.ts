import { QueryResult, type QueryRunner } from 'typeorm';
import { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner.js';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { SqliteQueryRunner } from 'typeorm/driver/sqlite/SqliteQueryRunner.js';
import type { SqliteDriver } from 'typeorm/driver/sqlite/SqliteDriver.js';
import type { SqlRow, SqlSession, SqlValue } from './database.js';

/** Where a query runner's statements go: one reader, or the writer's open transaction. */
export type RunStatement = SqlSession['query'];

/** Rows, or a `QueryResult` if requested. */
type Answer = ReturnType<QueryRunner['query']>;

/** TypeORM's dialect of SQLite. Its own class would send all requests' statements to one connection. */
export class PortSqliteQueryRunner extends SqliteQueryRunner {
  constructor(
    driver: SqliteDriver,
    private readonly run: RunStatement,
  ) {
    super(driver);
  }

  override query(sql: string, parameters: unknown[] = [], isStructured = false): Answer {
    return runStatement(this.run, sql, parameters, isStructured);
  }

  override startTransaction(): Promise<void> {
    throw noTransactions();
  }
}

/** TypeORM's dialect of PostgreSQL, over the storage port's pool. */
export class PortPostgresQueryRunner extends PostgresQueryRunner {
  constructor(
    driver: PostgresDriver,
    private readonly run: RunStatement,
  ) {
    super(driver, 'master');
  }

  override query(sql: string, parameters: unknown[] = [], isStructured = false): Answer {
    return runStatement(this.run, sql, parameters, isStructured);
  }

  override startTransaction(): Promise<void> {
    throw noTransactions();
  }
}

/** @throws DatabaseFault as the port does, instead of TypeORM's QueryFailedError, which repeats the statement and its values */
async function runStatement(run: RunStatement, sql: string, parameters: unknown[], isStructured: boolean): Answer {
  // The port returns rows and no counts, so UPDATE and DELETE return a row for each change.
  const isChange = /^(UPDATE|DELETE) /.test(sql);
  const rows = await run<SqlRow>(isChange && !sql.includes(' RETURNING ') ? `${sql} RETURNING 1` : sql, [
    ...(parameters as SqlValue[]),
  ]);
  if (!isStructured) return rows;
  const result = new QueryResult();
  result.raw = rows;
  result.records = rows;
  result.affected = rows.length;
  return result;
}

/** `save` and `remove` end here, too. */
function noTransactions(): Error {
  return new Error('Transactions belong to the storage port: use PortDataSource.write.');
}
