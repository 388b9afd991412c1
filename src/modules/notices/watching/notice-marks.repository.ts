import { Injectable } from '@nestjs/common';
import { Database, type SqlSession } from '../../../database/database.js';
import { sqlTuple } from '../../../database/sql-literal.js';

export type MarkKind = 'effect_in_doubt' | 'agent_offline';

@Injectable()
export class NoticeMarksRepository {
  constructor(private readonly database: Database) {}

  /** The reported subjects of this kind, and when. */
  async told(kind: MarkKind): Promise<ReadonlyMap<string, number>> {
    const rows = await this.database.read<{ subject: string; created_at: number }>(
      'SELECT subject, created_at FROM notice_mark WHERE kind = $1',
      [kind],
    );
    return new Map(rows.map(({ subject, created_at }) => [subject, Number(created_at)]));
  }

  /** Returns false if another server has reported it. */
  async mark(session: SqlSession, kind: MarkKind, subject: string, nowMs: number): Promise<boolean> {
    const rows = await session.query(
      `INSERT INTO notice_mark (kind, subject, created_at) VALUES ($1, $2, $3)
       ON CONFLICT (kind, subject) DO NOTHING RETURNING subject`,
      [kind, subject, nowMs],
    );
    return rows.length > 0;
  }

  /** Returns false if another server has done so. */
  async unmark(session: SqlSession, kind: MarkKind, subject: string): Promise<boolean> {
    const sql = 'DELETE FROM notice_mark WHERE kind = $1 AND subject = $2 RETURNING subject';
    return (await session.query(sql, [kind, subject])).length > 0;
  }

  async forget(kind: MarkKind, subjects: readonly string[], beforeMs: number): Promise<void> {
    if (subjects.length === 0) return;
    const among = sqlTuple([...subjects], this.database.dialect);
    const sql = `DELETE FROM notice_mark WHERE kind = $1 AND created_at < $2 AND subject IN ${among}`;
    await this.database.transaction((session) => session.query(sql, [kind, beforeMs]));
  }
}
