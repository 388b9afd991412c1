import type pg from 'pg';
import type { ScriptPart, SqlRow, SqlSession, SqlValue } from './database.js';

type Result = pg.QueryResult<never>;

/**
 * A transaction on one connection. Its beginning goes out with its first statement, and its end with the last part of a script: each by itself
 * would be a round trip, during which the transaction holds its locks.
 */
export class PostgresTransaction implements SqlSession {
  /** What begins it, until that is sent. */
  private begin: string | null;

  /** @param prepared a statement that the connection prepares once */
  constructor(
    private readonly client: pg.PoolClient,
    begin: string,
    private readonly prepared: (sql: string, params: readonly SqlValue[]) => pg.QueryConfig,
  ) {
    this.begin = begin;
  }

  get hasBegun(): boolean {
    return this.begin === null;
  }

  async query<T extends object = SqlRow>(sql: string, params: readonly SqlValue[] = []): Promise<T[]> {
    if (params.length === 0) return (await this.send(sql)).rows;
    await this.ensureBegun();
    return (await this.client.query<T>(this.prepared(sql, params))).rows;
  }

  async execute(script: string): Promise<void> {
    await this.send(script);
  }

  /** Writes the parts in their order, and commits. */
  async commit(script: Iterable<ScriptPart> = []): Promise<void> {
    let last: ScriptPart = '';
    for (const part of script) {
      await this.write(last);
      last = part;
    }
    if (typeof last === 'string') return this.execute(`${last}COMMIT`);
    await this.write(last);
    await this.execute('COMMIT');
  }

  private async write(part: ScriptPart): Promise<void> {
    if (part === '') return;
    if (typeof part === 'string') return this.execute(part);
    await this.ensureBegun();
    await this.client.query(part.sql, [...part.params]);
  }

  private async ensureBegun(): Promise<void> {
    if (!this.hasBegun) await this.send('');
  }

  /** Answers the result of the last statement. */
  private async send(sql: string): Promise<Result> {
    const text = this.begin === null ? sql : `${this.begin}${sql}`;
    this.begin = null;
    const result = (await this.client.query(text)) as Result | Result[];
    return Array.isArray(result) ? result.at(-1)! : result;
  }
}
