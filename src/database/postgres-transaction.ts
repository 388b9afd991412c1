import type pg from 'pg';
import type { ScriptPart, SqlRow, SqlSession, SqlParams } from './database.js';

type Result = pg.QueryResult<never>;

/**
 * A transaction on one connection. BEGIN is sent with the first statement and COMMIT with a script's last part, because each round trip
 * would prolong its locks.
 */
export class PostgresTransaction implements SqlSession {
  /** The BEGIN statement until it is sent. */
  private begin: string | null;
  /** The first failed statement's fault: PostgreSQL then keeps nothing of the transaction. */
  private fault: unknown;

  /** @param prepared a statement that the connection prepares once */
  constructor(
    private readonly client: pg.PoolClient,
    begin: string,
    private readonly prepared: (sql: string, params: SqlParams) => pg.QueryConfig,
  ) {
    this.begin = begin;
  }

  get hasBegun(): boolean {
    return this.begin === null;
  }

  async query<T extends object = SqlRow>(sql: string, params: SqlParams = []): Promise<T[]> {
    if (params.length === 0) return (await this.send(sql)).rows;
    await this.ensureBegun();
    return (await this.noting(this.client.query<T>(this.prepared(sql, params)))).rows;
  }

  async execute(script: string): Promise<void> {
    await this.send(script);
  }

  /**
   * Writes the parts in order and commits.
   * @throws a statement's fault, even if the work continued after it: PostgreSQL answers such a COMMIT with ROLLBACK and no error
   */
  async commit(script: Iterable<ScriptPart> = []): Promise<void> {
    let last: ScriptPart = '';
    for (const part of script) {
      await this.write(last);
      last = part;
    }
    if (typeof last !== 'string') await this.write(last);
    const { command } = await this.send(typeof last === 'string' ? `${last}COMMIT` : 'COMMIT');
    if (command !== 'COMMIT') throw this.fault ?? new Error(`PostgreSQL answered the commit with ${command}.`);
  }

  private async write(part: ScriptPart): Promise<void> {
    if (part === '') return;
    if (typeof part === 'string') return this.execute(part);
    await this.ensureBegun();
    await this.noting(this.client.query(part.sql, [...part.params]));
  }

  private async ensureBegun(): Promise<void> {
    if (!this.hasBegun) await this.send('');
  }

  /** Returns the result of the last statement. */
  private async send(sql: string): Promise<Result> {
    const text = this.begin === null ? sql : `${this.begin}${sql}`;
    this.begin = null;
    const result: Result | Result[] = await this.noting(this.client.query(text));
    return Array.isArray(result) ? result.at(-1)! : result;
  }

  private async noting<T>(answering: Promise<T>): Promise<T> {
    try {
      return await answering;
    } catch (error) {
      this.fault ??= error;
      throw error;
    }
  }
}
