import {
  Database,
  type PreparedScript,
  type ScriptPart,
  type Snapshot,
  type SqlReader,
  type SqlRow,
  type SqlSession,
  type SqlParams,
} from './database.js';
import { toDatabaseFault } from './database-fault.js';
import { openingFault } from './opening-fault.js';
import { SqliteConnection } from './sqlite-connection.js';
import { SqliteProcessLock } from './sqlite-process-lock.js';

const READERS = 3;
/** Pages (of 8 KiB) to return per step, which blocks writers for some milliseconds. */
const RECLAIM_PAGES = 512;

/** Characters of statements per call to the driver, which blocks others while it encodes them. */
const VISIT_LENGTH = 4 * 1024 * 1024;

/** Durable before the response: WAL with synchronous=FULL syncs the log at every commit. */
const WRITER_PRAGMAS = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA foreign_keys = OFF;
  PRAGMA busy_timeout = 5000;
  PRAGMA wal_autocheckpoint = 4000;
  PRAGMA journal_size_limit = 67108864;
  PRAGMA cache_size = -8192;
  PRAGMA temp_store = MEMORY;`;
/** No memory map: on virtual machines its page faults cost more than reading pages. */
const READER_PRAGMAS = `
  PRAGMA query_only = TRUE;
  PRAGMA busy_timeout = 5000;
  PRAGMA cache_size = -8192;`;

/** SQLite in WAL mode: one writing connection whose transactions queue, and separate readers. */
export class SqliteDatabase extends Database {
  readonly dialect = 'sqlite';
  readonly isShared = false;
  private tail: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly path: string,
    private readonly lock: SqliteProcessLock,
    private readonly writer: SqliteConnection,
    private readonly readers: readonly SqliteConnection[],
    /** Reads for the next script, so that readers' slow queries do not delay writes. */
    private readonly preparer: SqliteConnection,
  ) {
    super();
  }

  /**
   * Opens the file, which the migrations must have created.
   * @throws DomainError `storage_in_use` if another process serves the same file
   */
  static async open(path: string): Promise<SqliteDatabase> {
    const lock = await SqliteProcessLock.acquire(path);
    try {
      const writer = await SqliteConnection.open(path, 'write');
      await writer.execute(WRITER_PRAGMAS);
      const all = await Promise.all(Array.from({ length: READERS + 1 }, () => SqliteConnection.open(path, 'read')));
      await Promise.all(all.map((reader) => reader.execute(READER_PRAGMAS)));
      const [preparer, ...readers] = all;
      return new SqliteDatabase(path, lock, writer, readers, preparer!);
    } catch (error) {
      await lock.release();
      throw openingFault(error, path);
    }
  }

  async read<T extends object = SqlRow>(sql: string, params: SqlParams = []): Promise<T[]> {
    const idlest = this.readers.reduce((best, reader) => (reader.pending < best.pending ? reader : best));
    try {
      return await idlest.query<T>(sql, params);
    } catch (error) {
      throw toDatabaseFault(error);
    }
  }

  async snapshot(): Promise<Snapshot> {
    try {
      const connection = await SqliteConnection.open(this.path, 'read');
      await connection.execute(`${READER_PRAGMAS} BEGIN; SELECT 1 FROM sqlite_master LIMIT 1;`);
      return {
        query: (sql, params) => connection.query(sql, params),
        close: () => connection.close(), // also ends the transaction
      };
    } catch (error) {
      throw toDatabaseFault(error);
    }
  }

  transaction<T>(work: (session: SqlSession) => Promise<T>): Promise<T> {
    return this.inTurn(() => this.run(work));
  }

  async commitScript<T>(prepare: (reader: SqlReader) => Promise<PreparedScript<T>>): Promise<T> {
    try {
      const { script, result } = await prepare(this.preparer);
      if (script) await this.inTurn(() => this.write(script));
      return result;
    } catch (error) {
      throw toDatabaseFault(error);
    }
  }

  async reclaim(_tables: readonly string[], stop: AbortSignal): Promise<void> {
    try {
      let free = Infinity;
      while (!stop.aborted) {
        const left = await this.inTurn(() => this.reclaimSome());
        if (left === 0 || left >= free) break;
        free = left;
      }
      // The file only shrinks when the write-ahead log is merged; PASSIVE waits for nobody.
      await this.inTurn(() => this.writer.query('PRAGMA wal_checkpoint(PASSIVE)'));
    } catch (error) {
      throw toDatabaseFault(error);
    }
  }

  async close(): Promise<void> {
    await this.tail;
    await Promise.all([...this.readers, this.preparer].map((reader) => reader.close()));
    await this.writer.close();
    await this.lock.release();
  }

  /** Waits for earlier work on the writing connection. */
  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.tail.then(work);
    this.tail = turn.catch(() => undefined);
    return turn;
  }

  /** Returns how many pages are still free. */
  private async reclaimSome(): Promise<number> {
    await this.writer.execute(`PRAGMA incremental_vacuum(${RECLAIM_PAGES})`);
    const [row] = await this.writer.query<{ freelist_count: number }>('PRAGMA freelist_count');
    return row?.freelist_count ?? 0;
  }

  /** One call to the driver's thread for a whole transaction, if it is small. */
  private async write(script: Iterable<ScriptPart>): Promise<void> {
    let text = 'BEGIN IMMEDIATE;';
    try {
      for (const part of script) {
        const isText = typeof part === 'string';
        if (isText && text.length + part.length <= VISIT_LENGTH) {
          text += part;
          continue;
        }
        if (text !== '') await this.writer.execute(text);
        text = isText ? part : '';
        if (!isText) await this.writer.run(part);
      }
      await this.writer.execute(`${text}COMMIT`);
    } catch (error) {
      await this.rollBack();
      throw error;
    }
  }

  private async run<T>(work: (session: SqlSession) => Promise<T>): Promise<T> {
    try {
      await this.writer.execute('BEGIN IMMEDIATE');
      const result = await work(this.writer);
      await this.writer.execute('COMMIT');
      return result;
    } catch (error) {
      await this.rollBack();
      throw toDatabaseFault(error);
    }
  }

  /** Some faults, such as a full disk, have already ended the transaction. */
  private async rollBack(): Promise<void> {
    await this.writer.execute('ROLLBACK').catch(() => undefined);
  }
}
