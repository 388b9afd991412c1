import { Injectable } from '@nestjs/common';
import type { OutgoingEvent, SpooledText } from '../../../client/spool.js';
import { Database, type SqlSession } from '../../../database/database.js';

@Injectable()
export class SpoolRepository {
  constructor(private readonly database: Database) {}

  transaction<T>(work: (session: SqlSession) => Promise<T>): Promise<T> {
    return this.database.transaction(work);
  }

  async insert(session: SqlSession, events: readonly (OutgoingEvent & { bytes: number })[]): Promise<void> {
    for (const { threadId, text, bytes } of events) {
      const values = [threadId, text, bytes];
      await session.query('INSERT INTO spooled_event (thread_id, text, bytes) VALUES ($1, $2, $3)', values);
    }
  }

  /** Oldest first. */
  async list(limit: number): Promise<(SpooledText & { bytes: number })[]> {
    return this.database.read('SELECT seq AS key, text, bytes FROM spooled_event ORDER BY seq LIMIT $1', [limit]);
  }

  /** Sizes without texts, oldest first. */
  async sizes(session: SqlSession, limit: number): Promise<{ key: number; bytes: number }[]> {
    return session.query('SELECT seq AS key, bytes FROM spooled_event ORDER BY seq LIMIT $1', [limit]);
  }

  /** Removes events and returns the freed bytes. */
  async delete(session: SqlSession, keys: readonly number[]): Promise<number> {
    const rows = await session.query<{ bytes: number }>(
      'DELETE FROM spooled_event WHERE seq IN (SELECT value FROM json_each($1)) RETURNING bytes',
      [JSON.stringify(keys)],
    );
    return rows.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  async totalBytes(): Promise<number> {
    const rows = await this.database.read<{ total: number }>('SELECT SUM(bytes) AS total FROM spooled_event');
    return Number(rows[0]?.total ?? 0);
  }

  /** Those whose texts begin like this. */
  async listBeginningWith(prefix: string): Promise<string[]> {
    const sql = 'SELECT text FROM spooled_event WHERE substr(text, 1, $1) = $2';
    return (await this.database.read<{ text: string }>(sql, [prefix.length, prefix])).map(({ text }) => text);
  }

  /** Key of the thread's newest event; null if none waits. */
  async newestOf(threadId: string): Promise<number | null> {
    const sql = 'SELECT MAX(seq) AS newest FROM spooled_event WHERE thread_id = $1';
    const [row] = await this.database.read<{ newest: number | null }>(sql, [threadId]);
    return row?.newest ?? null;
  }

  async hasUpTo(threadId: string, newest: number): Promise<boolean> {
    const sql = 'SELECT 1 AS found FROM spooled_event WHERE thread_id = $1 AND seq <= $2 LIMIT 1';
    return (await this.database.read(sql, [threadId, newest])).length > 0;
  }
}
