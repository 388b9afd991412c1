export type Dialect = 'sqlite' | 'postgres';

/** A value that both dialects bind unchanged. Times are numbers of milliseconds. */
export type SqlValue = string | number | boolean | null;

/** The values of placeholders. Bytes stand for the text they encode, unless the statement takes them as bytes. */
export type SqlParams = readonly (SqlValue | Buffer)[];

export type SqlRow = Record<string, unknown>;

/** Reading within a transaction, or on a reading connection. */
export interface SqlReader {
  /**
   * Runs one statement and returns its rows. Placeholders are `$1`, `$2`, ... and must first appear in that order.
   * @throws DatabaseFault, see `database-fault.ts`
   */
  query<T extends object = SqlRow>(sql: string, params?: SqlParams): Promise<T[]>;
}

/** Statements of one open transaction. */
export interface SqlSession extends SqlReader {
  /** Runs a script of statements with all values inlined by `sql-literal.ts`, in one round trip. */
  execute(script: string): Promise<void>;
}

/** A statement with placeholders as in `SqlReader.query`, and their values. */
export interface BoundStatement {
  sql: string;
  params: SqlParams;
}

/** Statements, each with its semicolon, or one with its values. */
export type ScriptPart = string | BoundStatement;

export interface PreparedScript<T> {
  /**
   * Parts to write in order; null for nothing. Large scripts should come in parts of at most a megabyte, each prepared on demand, so that
   * other requests run in between.
   */
  script: Iterable<ScriptPart> | null;
  result: T;
}

export interface CommitOptions {
  /** Milliseconds to wait for rows that others lock, if less than the usual 10 s; no effect without other processes. */
  lockTimeoutMs?: number;
}

/** Everything as it was at one moment, whatever others commit meanwhile. Holds a connection until closed. */
export interface Snapshot extends SqlReader {
  close(): Promise<void>;
}

/** This process's connections. */
export interface PoolFigures {
  total: number;
  idle: number;
  /** Requests that wait for a connection. */
  waiting: number;
}

/**
 * The storage port: one writer with transactions, and concurrent readers that only see committed data. SQLite has exactly one writing
 * connection, so a process's transactions run one after the other; PostgreSQL takes a pooled connection for each.
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
  abstract read<T extends object = SqlRow>(sql: string, params?: SqlParams): Promise<T[]>;

  /** `read` as a reader, for code that runs inside and outside of transactions. */
  get reader(): SqlReader {
    return { query: (sql, params) => this.read(sql, params) };
  }

  /**
   * Freezes what is committed now for several SELECTs. Close it soon: meanwhile PostgreSQL keeps all replaced rows, SQLite its write-ahead
   * log. PostgreSQL ends a snapshot after a minute without reads.
   */
  abstract snapshot(): Promise<Snapshot>;

  /** Runs `work` in one transaction: committed durably when it resolves, rolled back when it throws. */
  abstract transaction<T>(work: (session: SqlSession) => Promise<T>, options?: CommitOptions): Promise<T>;

  /**
   * Runs `prepare`, which only reads, and then its script in one durable transaction. With a single process the transaction begins after
   * `prepare`, so that the next script can be prepared during this write: the caller must ensure that nobody else changes the rows that
   * `prepare` reads. Otherwise `prepare` runs inside the transaction and must lock them.
   */
  abstract commitScript<T>(
    prepare: (reader: SqlReader) => Promise<PreparedScript<T>>,
    options?: CommitOptions,
  ): Promise<T>;

  /**
   * Returns the space of deleted rows: on SQLite to the file system, in steps between which others write; on PostgreSQL to the tables, and
   * free ends of their files to the file system. The rest stays for the next time.
   * @param tables where rows were deleted
   * @param stop ends it early
   */
  abstract reclaim(tables: readonly string[], stop: AbortSignal): Promise<void>;

  /** Waits for current work, then closes all connections. */
  abstract close(): Promise<void>;
}
