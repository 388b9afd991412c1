import { DataSource, type DataSourceOptions, type EntityManager } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import type { SqliteDriver } from 'typeorm/driver/sqlite/SqliteDriver.js';
import type { EntityList } from './data-source.options.js';
import type { CommitOptions, Database, SqlSession } from './database.js';
import { PortPostgresQueryRunner, PortSqliteQueryRunner, type RunStatement } from './port-query-runner.js';

type PortQueryRunner = PortSqliteQueryRunner | PortPostgresQueryRunner;

const READING = /^\s*(SELECT|WITH)\b/i;

/**
 * TypeORM's repositories and query builder over the storage port. Opens no connection: a `SELECT` goes to a reader, any other single
 * statement is one durable transaction of the writer, and `write` makes a transaction of several. `save`, `remove` and TypeORM's own
 * transactions throw (docs/adr/0001).
 */
export class PortDataSource extends DataSource {
  private constructor(
    options: DataSourceOptions,
    private readonly database: Database,
  ) {
    super(options);
  }

  /** @param entities the tables that have repositories */
  static async over(database: Database, entities: EntityList): Promise<PortDataSource> {
    const shared = { entities: [...entities], synchronize: false, logging: false };
    const source = new PortDataSource(
      database.dialect === 'sqlite'
        ? { ...shared, type: 'sqlite', database: '', driver: noSqlite }
        : { ...shared, type: 'postgres', driver: {} },
      database,
    );
    await source.buildMetadatas();
    return Object.assign(source, { isInitialized: true });
  }

  /** Runs `work` in one transaction: committed durably when it resolves, rolled back when it throws. It may run more than once. */
  write<T>(work: (manager: EntityManager, session: SqlSession) => Promise<T>, options?: CommitOptions): Promise<T> {
    return this.database.transaction((session) => work(this.within(session), session), options);
  }

  /** The entities within a transaction that other code has opened. */
  within(session: SqlSession): EntityManager {
    return this.runnerOver((sql, params) => session.query(sql, params)).manager;
  }

  /** For a statement outside any transaction of the port. */
  override createQueryRunner(): PortQueryRunner {
    return this.runnerOver((sql, params) =>
      READING.test(sql)
        ? this.database.read(sql, params)
        : this.database.transaction((session) => session.query(sql, params)),
    );
  }

  /** The connections belong to the port. */
  override async destroy(): Promise<void> {}

  private runnerOver(run: RunStatement): PortQueryRunner {
    const runner =
      this.database.dialect === 'sqlite'
        ? new PortSqliteQueryRunner(this.driver as SqliteDriver, run)
        : new PortPostgresQueryRunner(this.driver as PostgresDriver, run);
    return Object.assign(runner, { manager: this.createEntityManager(runner) });
  }
}

/** TypeORM only asks its driver for the package to open a connection. */
const noSqlite = { verbose: () => noSqlite };
