import { pathToFileURL } from 'node:url';
import sqlite3 from 'sqlite3';
import type { BoundStatement, SqlRow, SqlSession, SqlParams } from './database.js';

const MAX_PREPARED = 200;
const FLAGS = {
  read: sqlite3.OPEN_READONLY,
  write: sqlite3.OPEN_READWRITE | sqlite3.OPEN_CREATE,
  immutable: sqlite3.OPEN_READONLY | sqlite3.OPEN_URI,
};

/** A node-sqlite3 connection with promises and cached prepared statements. */
export class SqliteConnection implements SqlSession {
  private readonly prepared = new Map<string, Promise<sqlite3.Statement>>();
  /** Running statements, to choose the least loaded reader. */
  pending = 0;

  private constructor(private readonly handle: sqlite3.Database) {}

  /**
   * @param mode `immutable` reads a file without writers, without a lock or files beside it
   * @throws the driver's error, with its `code`, if the file cannot be opened
   */
  static async open(path: string, mode: 'read' | 'write' | 'immutable'): Promise<SqliteConnection> {
    const name = mode === 'immutable' ? `${pathToFileURL(path).href}?immutable=1` : path;
    const handle = await new Promise<sqlite3.Database>((resolve, reject) => {
      const database = new sqlite3.Database(name, FLAGS[mode], (error) => (error ? reject(error) : resolve(database)));
    });
    return new SqliteConnection(handle);
  }

  async query<T extends object = SqlRow>(sql: string, params: SqlParams = []): Promise<T[]> {
    if (params.length === 0) return this.counted((done) => this.handle.all<T>(sql, done));
    const statement = await (this.prepared.get(sql) ?? this.prepare(sql));
    return this.counted((done) => statement.all<T>(params, done));
  }

  execute(script: string): Promise<void> {
    return this.counted<void>((done) => this.handle.exec(script, (error) => done(error, undefined)));
  }

  /** For a one-time statement. */
  run({ sql, params }: BoundStatement): Promise<void> {
    return this.counted<void>((done) =>
      this.handle.run(sql, [...params], (error: Error | null) => done(error, undefined)),
    );
  }

  async close(): Promise<void> {
    const statements = await Promise.allSettled(this.prepared.values());
    for (const statement of statements) {
      if (statement.status === 'fulfilled') await finalize(statement.value);
    }
    this.prepared.clear();
    await new Promise<void>((resolve, reject) => this.handle.close((error) => (error ? reject(error) : resolve())));
  }

  private counted<T>(start: (done: (error: Error | null, value: T) => void) => void): Promise<T> {
    this.pending += 1;
    return new Promise<T>((resolve, reject) => {
      start((error, value) => {
        this.pending -= 1;
        if (error) reject(error);
        else resolve(value);
      });
    });
  }

  /** Concurrent callers with the same text share one statement: a second one would leak and keep the file open. */
  private prepare(sql: string): Promise<sqlite3.Statement> {
    const preparing = new Promise<sqlite3.Statement>((resolve, reject) => {
      const made = this.handle.prepare(sql, (error: Error | null) => (error ? reject(error) : resolve(made)));
    });
    this.forgetOldest();
    this.prepared.set(sql, preparing);
    preparing.catch(() => this.prepared.delete(sql));
    return preparing;
  }

  /** Statements with inlined values would otherwise fill the memory. */
  private forgetOldest(): void {
    if (this.prepared.size < MAX_PREPARED) return;
    const [sql, statement] = this.prepared.entries().next().value!;
    this.prepared.delete(sql);
    statement.then(finalize, () => undefined);
  }
}

function finalize(statement: sqlite3.Statement): Promise<void> {
  return new Promise((resolve) => statement.finalize(() => resolve()));
}
