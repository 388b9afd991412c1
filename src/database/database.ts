export type Dialect = 'sqlite' | 'postgres';

/** A value that both dialects bind unchanged. Times are milliseconds, as numbers. */
export type SqlValue = string | number | boolean | null;

export type SqlRow = Record<string, unknown>;

/** Reading within a transaction, or on a reading connection. */
export interface SqlReader {
  /**
   * Runs one statement and returns its rows. Placeholders are `$1`, `$2`, ... and must first appear in that order.
   * @throws DatabaseFault as `database-fault.ts` describes.
   */
  query<T extends object = SqlRow>(sql: string, params?: readonly SqlValue[]): Promise<T[]>;
}

/** Statements of one open transaction. */
export interface SqlSession extends SqlReader {
  /** Runs a script of statements with all values inlined by `sql-literal.ts`: one round trip for any number of statements. */
  execute(script: string): Promise<void>;
}

/** A statement with placeholders, as in `SqlReader.query`, and their values. Bytes stand for the text that they encode. */
export interface BoundStatement {
  sql: string;
  params: readonly (SqlValue | Buffer)[];
}

/** Statements, each with its semicolon, or one with its values. */
export type ScriptPart = string | BoundStatement;

/** The script of a transaction, and the result of preparing it. */
export interface PreparedScript<T> {
  /**
   * Parts to write in order; null for nothing to write. Large scripts should come in parts of a megabyte or less, each prepared when
   * it is requested: other requests run in between.
   */
  script: Iterable<ScriptPart> | null;
  result: T;
}

export interface CommitOptions {
  /** Milliseconds to wait for rows that others lock, less than the usual 10 s; no effect without other processes. */
  lockTimeoutMs?: number;
}

/** Everything as it was at one moment, whatever others commit meanwhile. It holds a connection until it is closed. */
export interface Snapshot extends SqlReader {
  close(): Promise<void>;
}

/** The connections of this process. */
export interface PoolFigures {
  total: number;
  idle: number;
  /** Requests that wait for a connection. */
  waiting: number;
}

/**
 * The storage port: one writer with transactions, and concurrent readers that see only committed data.
 * SQLite has exactly one writing connection, so transactions of one process run one after the other;
 * PostgreSQL takes a connection of the pool for each.
 */
export abstract class Database {
  abstract readonly dialect: Dialect;

  /** True if other processes may write to the same storage, so that memory must be checked before use. */
  abstract readonly isShared: boolean;

  /** Null if there is no pool. */
  get pool(): PoolFigures | null {
    return null;
  }

  /** Runs one SELECT outside any transaction. */
  abstract read<T extends object = SqlRow>(sql: string, params?: readonly SqlValue[]): Promise<T[]>;

  /**
   * Freezes what is committed now for several SELECTs. Close it soon: meanwhile PostgreSQL keeps all rows that others replace, SQLite
   * its write-ahead log. PostgreSQL ends one that reads nothing for a minute.
   */
  abstract snapshot(): Promise<Snapshot>;

  /** Runs `work` in one transaction: committed durably when it resolves, rolled back when it throws. */
  abstract transaction<T>(work: (session: SqlSession) => Promise<T>, options?: CommitOptions): Promise<T>;

  /**
   * Runs `prepare`, which only reads, and then its script in one durable transaction. If this process is the only writer
   * the transaction begins after `prepare`, so that the next script can be prepared during this write: the caller must
   * ensure that nobody else changes the rows that `prepare` reads. Otherwise `prepare` runs inside the transaction and must lock them.
   */
  abstract commitScript<T>(
    prepare: (reader: SqlReader) => Promise<PreparedScript<T>>,
    options?: CommitOptions,
  ): Promise<T>;

  /**
   * Returns the space of deleted rows: SQLite to the file system, in steps between which others write; PostgreSQL to
   * the tables, and the ends of their files to the file system. Space that it cannot return now remains for the next time.
   * @param tables where rows were deleted
   * @param stop ends it early
   */
  abstract reclaim(tables: readonly string[], stop: AbortSignal): Promise<void>;

  /** Waits for current work, then closes all connections. */
  abstract close(): Promise<void>;
}
