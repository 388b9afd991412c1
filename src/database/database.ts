/** A value that both dialects bind as it is. Times are milliseconds, as numbers. */
export type SqlValue = string | number | boolean | null;

export type SqlRow = Record<string, unknown>;

/** Statements of one open transaction, or of one reading connection. */
export interface SqlSession {
  /**
   * Runs one statement and answers its rows. Placeholders are `$1`, `$2`, ... and must first appear in that order.
   * @throws DatabaseFault as `database-fault.ts` describes.
   */
  query<T extends object = SqlRow>(sql: string, params?: readonly SqlValue[]): Promise<T[]>;
  /** Runs a script of statements with all values inlined by `sql-literal.ts`: one round trip however many statements. */
  execute(script: string): Promise<void>;
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

  /** Runs one SELECT outside any transaction. */
  abstract read<T extends object = SqlRow>(sql: string, params?: readonly SqlValue[]): Promise<T[]>;

  /** Runs `work` in one transaction: committed durably when it resolves, rolled back when it throws. */
  abstract transaction<T>(work: (session: SqlSession) => Promise<T>): Promise<T>;

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
