import pg from 'pg';
import {
  Database,
  type CommitOptions,
  type PoolFigures,
  type PreparedScript,
  type Snapshot,
  type SqlReader,
  type SqlRow,
  type SqlSession,
  type SqlParams,
} from './database.js';
import { isRace, isReadOnly, isUnresponsive, toDatabaseFault } from './database-fault.js';
import { poolOptions } from './postgres-connection.js';
import { PostgresTransaction } from './postgres-transaction.js';

type Work<T> = (transaction: PostgresTransaction) => Promise<T>;

const INT8 = 20;
const MAX_PREPARED = 200;
const RACE_RETRIES = 5;
/** A day: no VACUUM takes longer, and Node's timers are limited to 24 days. */
const VACUUM_MS = 86_400_000;

/** How long a statement may take, in milliseconds. */
export interface StatementLimits {
  /** PostgreSQL ends the statement then. */
  statementMs: number;
  /** The connection is dropped then: the machine at its other end has vanished. */
  silenceMs: number;
}

const LIMITS: StatementLimits = { statementMs: 60_000, silenceMs: 75_000 };

/** Counts and times fit a double, so bigint columns are read as numbers, as in SQLite. */
const TYPES: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text') =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

/** PostgreSQL: a pooled connection for each transaction; any number of instances on one database. */
export class PostgresDatabase extends Database {
  readonly dialect = 'postgres';
  readonly isShared = true;
  private readonly names = new Map<string, string>();

  constructor(private readonly connections: pg.Pool) {
    super();
  }

  static open(url: string, poolSize: number, onError: (error: Error) => void, limits = LIMITS): PostgresDatabase {
    const session = { statementMs: limits.statementMs, lockMs: 10_000, idleInTransactionMs: 60_000 };
    const pool = new pg.Pool({
      ...poolOptions({ url, name: 'waystation', limits: session }),
      max: poolSize,
      types: TYPES,
      query_timeout: limits.silenceMs,
    });
    // A connection may break just after the pool hands it out, before its user listens.
    pool.on('connect', (client) => client.on('error', () => undefined));
    pool.on('error', onError); // the pool replaces broken idle connections; an unhandled error event would end the process
    return new PostgresDatabase(pool);
  }

  override get pool(): PoolFigures {
    const { totalCount: total, idleCount: idle, waitingCount: waiting } = this.connections;
    return { total, idle, waiting };
  }

  async read<T extends object = SqlRow>(sql: string, params: SqlParams = []): Promise<T[]> {
    try {
      const result = await this.connections.query<T>(this.statement(sql, params));
      return result.rows;
    } catch (error) {
      throw toDatabaseFault(error);
    }
  }

  async snapshot(): Promise<Snapshot> {
    const client = await this.connections.connect().catch((error: unknown) => {
      throw toDatabaseFault(error);
    });
    let broken: Error | undefined;
    const noteBroken = (error: Error) => (broken = error);
    client.on('error', noteBroken);
    const query = async <T extends object>(sql: string, params: SqlParams = []) => {
      try {
        return (await client.query<T>(this.statement(sql, params))).rows;
      } catch (error) {
        if (isUnresponsive(error)) broken = error;
        throw toDatabaseFault(error);
      }
    };
    const close = async () => {
      if (!broken) await client.query('ROLLBACK').catch(noteBroken);
      client.off('error', noteBroken);
      client.release(broken);
    };
    try {
      await query('BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    } catch (error) {
      await close();
      throw error;
    }
    return { query, close };
  }

  transaction<T>(work: (session: SqlSession) => Promise<T>, options: CommitOptions = {}): Promise<T> {
    return this.runUntilNoRace(options, async (transaction) => {
      const result = await work(transaction);
      await transaction.commit();
      return result;
    });
  }

  commitScript<T>(prepare: (reader: SqlReader) => Promise<PreparedScript<T>>, options: CommitOptions = {}): Promise<T> {
    return this.runUntilNoRace(options, async (transaction) => {
      const { script, result } = await prepare(transaction);
      await transaction.commit(script ?? []);
      return result;
    });
  }

  async reclaim(tables: readonly string[], stop: AbortSignal): Promise<void> {
    const client = await this.connections.connect();
    const ignore = () => undefined;
    client.on('error', ignore);
    try {
      await client.query('SET statement_timeout = 0');
      // One by one: VACUUM cannot run in a transaction. It skips tables that others are vacuuming.
      for (const table of tables) {
        if (!stop.aborted) await this.untilStop(client, stop, `VACUUM (SKIP_LOCKED) ${table}`);
      }
    } catch (error) {
      if (!stop.aborted) throw toDatabaseFault(error);
    } finally {
      client.release(true); // its time limit was removed
    }
  }

  async close(): Promise<void> {
    await this.connections.end();
  }

  private async untilStop(client: pg.PoolClient, stop: AbortSignal, sql: string): Promise<void> {
    const [backend] = (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows;
    const cancel = () => {
      this.connections.query('SELECT pg_cancel_backend($1)', [backend!.pid]).catch(() => undefined);
    };
    stop.addEventListener('abort', cancel);
    try {
      await client.query({ text: sql, query_timeout: VACUUM_MS } as pg.QueryConfig);
    } finally {
      stop.removeEventListener('abort', cancel);
    }
  }

  private async runUntilNoRace<T>(options: CommitOptions, work: Work<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.runOnce(beginSql(options), work);
      } catch (error) {
        if (!isRace(error) || attempt > RACE_RETRIES) throw toDatabaseFault(error);
      }
    }
  }

  /** @param work commits at its end */
  private async runOnce<T>(begin: string, work: Work<T>): Promise<T> {
    const client = await this.connections.connect();
    let broken: Error | undefined;
    const noteBroken = (error: Error) => (broken = error);
    client.on('error', noteBroken);
    const transaction = new PostgresTransaction(client, begin, (sql, params) => this.statement(sql, params));
    try {
      return await work(transaction);
    } catch (error) {
      if (isUnresponsive(error) || isReadOnly(error)) broken = error;
      else if (transaction.hasBegun) await client.query('ROLLBACK').catch(noteBroken);
      throw error;
    } finally {
      client.off('error', noteBroken);
      client.release(broken);
    }
  }

  /** Statements with placeholders recur, so each connection prepares them once. */
  private statement(sql: string, params: SqlParams): pg.QueryConfig {
    if (params.length === 0) return { text: sql };
    let name = this.names.get(sql);
    if (!name && this.names.size < MAX_PREPARED) {
      name = `waystation_${this.names.size}`;
      this.names.set(sql, name);
    }
    return { text: sql, values: [...params], name };
  }
}

function beginSql({ lockTimeoutMs }: CommitOptions): string {
  return lockTimeoutMs === undefined ? 'BEGIN;' : `BEGIN;SET LOCAL lock_timeout = ${lockTimeoutMs};`;
}
