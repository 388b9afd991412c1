import { Injectable } from '@nestjs/common';
import { Database, type SqlSession } from '../../../database/database.js';
import type { Checkpoint } from '../entities/checkpoint.entity.js';
import { HISTORY, HISTORY_META } from '../entities/message.entity.js';
import { parseRanges } from '../journal/ranges.js';
import type { ListTexts } from './checkpoint-view.js';

type ListsOf = Pick<Checkpoint, 'thread_pk' | 'history' | 'history_meta'>;

/** Joins the elements of a checkpoint's lists inside the database: one row instead of one an element. */
@Injectable()
export class ListTextsRepository {
  constructor(private readonly database: Database) {}

  async of(row: ListsOf, session: Pick<SqlSession, 'query'> = this.reader): Promise<ListTexts> {
    const [texts] = await session.query<{ history: string | null; history_meta: string | null }>(
      `SELECT ${joined(row, HISTORY)} AS history, ${joined(row, HISTORY_META)} AS history_meta`,
    );
    return { history: texts?.history ?? '', historyMeta: texts?.history_meta ?? '' };
  }

  private get reader(): Pick<SqlSession, 'query'> {
    return { query: (sql, params) => this.database.read(sql, params) };
  }
}

/** Places only ever rise within a list, so the order of the log is the order of the list. */
function joined(row: ListsOf, list: number): string {
  const ranges = parseRanges(list === HISTORY ? row.history : row.history_meta);
  if (ranges.length === 0) return `''`;
  const places = ranges.map(([from, to]) => `seq BETWEEN ${from} AND ${to}`).join(' OR ');
  return `(SELECT string_agg(body, ',') FROM (SELECT body FROM message
    WHERE thread_pk = ${row.thread_pk} AND list = ${list} AND (${places}) ORDER BY seq) AS elements)`;
}
