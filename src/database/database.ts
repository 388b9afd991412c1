/** A value that both dialects bind as it is. Times are milliseconds, as numbers. */
export type SqlValue = string | number | boolean | null;

export type SqlRow = Record<string, unknown>;

/** Reading within a transaction, or on a reading connection. */
export interface SqlReader {
  /**
   * Runs one statement and answers its rows. Placeholders are `$1`, `$2`, ... and must first appear in that order.
   * @throws DatabaseFault as `database-fault.ts` describes.
   */
  query<T extends object = SqlRow>(sql: string, params?: readonly SqlValue[]): Promise<T[]>;
}

/** Statements of one open transaction. */
export interface SqlSession extends SqlReader {
  /** Runs a script of statements with all values inlined by `sql-literal.ts`: one round trip however many statements. */
  execute(script: string): Promise<void>;
}

/** A statement with placeholders, as in `SqlReader.query`, and their values. Bytes stand for the text that they encode. */
export interface BoundStatement {
  sql: string;
  params: readonly (SqlValue | Buffer)[];
}

/** Statements, each with its semicolon, or one with its values. */
export type ScriptPart = string | BoundStatement;

/** What a transaction is to write, and what came of making it. */
export interface PreparedScript<T> {
  /**
   * Written one after the other; null for nothing to write. What is large should come in parts of a megabyte or less, each made when
   * it is asked for: other requests have their turns in between.
   */
  script: Iterable<ScriptPart> | null;
  result: T;
}

export interface CommitOptions {
  /** Milliseconds to wait for rows that others hold locked, less than the usual 10 s; has no meaning where there are no others. */
  lockTimeoutMs?: number;
}

/** The connections of this process. */
export interface PoolFigures {
  total: number;
  idle: number;
  /** Requests that wait for a connection. */
  waiting: number;
}

/**
 * The storage port: one writer with transactions, and reading beside it that sees committed data only.
 * SQLite has exactly one writing connection, so transactions of one process run one after the other;
 * PostgreSQL takes a connection of the pool for each.
 */
export abstract class Database {
  abstract readonly dialect: 'sqlite' | 'postgres';

  /** True when other processes may write to the same storage, so that nothing in memory can be trusted without a look. */
  abstract readonly isShared: boolean;

  /** Null where there is no pool. */
  get pool(): PoolFigures | null {
    return null;
  }

  /** Runs one SELECT outside any transaction. */
  abstract read<T extends object = SqlRow>(sql: string, params?: readonly SqlValue[]): Promise<T[]>;

  /** Runs `work` in one transaction: committed durably when it resolves, rolled back when it throws. */
  abstract transaction<T>(work: (session: SqlSession) => Promise<T>, options?: CommitOptions): Promise<T>;

  /**
   * Runs `prepare`, which only reads, and then its script in one durable transaction. Where this process is the only writer
   * the transaction begins after `prepare`, so that the next script can be prepared while this one is written: the caller must
   * see to it that nobody else changes what `prepare` reads. Elsewhere `prepare` runs inside the transaction and must lock it.
   */
  abstract commitScript<T>(
    prepare: (reader: SqlReader) => Promise<PreparedScript<T>>,
    options?: CommitOptions,
  ): Promise<T>;

  /**
   * Gives the space of deleted rows back: SQLite to the file system, in steps between which others write; PostgreSQL to
   * the tables, and the ends of their files to the file system. What cannot be given back now stays for the next time.
   * @param tables where rows were deleted
   * @param stop ends it early
   */
  abstract reclaim(tables: readonly string[], stop: AbortSignal): Promise<void>;

  /** Waits for what is under way, then lets go of all connections. */
  abstract close(): Promise<void>;
}
