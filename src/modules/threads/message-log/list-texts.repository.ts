import { Injectable } from '@nestjs/common';
import { Database, type SqlReader, type SqlValue } from '../../../database/database.js';
import type { Checkpoint } from '../entities/checkpoint.entity.js';
import { HISTORY, HISTORY_META } from '../entities/message.entity.js';
import { beginningSql, type Continuation, type ListName } from './continued-lists.js';
import { parseRanges, type Range } from './ranges.js';

/** Elements of the two lists as JSON text without the brackets. */
export interface ListTexts {
  history: string | Buffer;
  historyMeta: string | Buffer;
}

/** Lists as stored, or with all their ranges. */
type ListsOf = Pick<Checkpoint, 'thread_pk' | 'history' | 'history_meta'> & Partial<Continuation>;

/** A statement with more ranges is not worth preparing. */
const MAX_PREPARED_RANGES = 4;
/** More subqueries take longer to plan than to run, and databases limit the depth of an expression. */
const MAX_SUBQUERIES = 64;

/** Joins the elements of a checkpoint's lists in the database: one row instead of one per element. */
@Injectable()
export class ListTextsRepository {
  private readonly reader: SqlReader;
  private readonly isSqlite: boolean;

  constructor(database: Database) {
    this.reader = database.reader;
    this.isSqlite = database.dialect === 'sqlite';
  }

  /** Null if the thread is gone: some of its elements may outlive it. */
  async of(row: ListsOf, reader: SqlReader = this.reader): Promise<ListTexts | null> {
    const params: SqlValue[] = [];
    const [ofHistory, ofMeta] = [
      await this.rangesOf(row, 'history', reader),
      await this.rangesOf(row, 'history_meta', reader),
    ];
    if (ofHistory === null || ofMeta === null) return null;
    const history = this.joined(row.thread_pk, HISTORY, parseRanges(ofHistory), params);
    const meta = this.joined(row.thread_pk, HISTORY_META, parseRanges(ofMeta), params);
    const pk = params.length > 0 ? `$${params.push(row.thread_pk)}` : String(row.thread_pk);
    const [texts] = await reader.query<{ history: string | Buffer | null; history_meta: string | Buffer | null }>(
      `SELECT ${history} AS history, ${meta} AS history_meta FROM thread WHERE pk = ${pk}`,
      params,
    );
    return texts ? { history: texts.history ?? '', historyMeta: texts.history_meta ?? '' } : null;
  }

  /**
   * The columns `history_text` and `history_meta_text` of a checkpoint `c`, for queries that read its row as well; null if a list has
   * several ranges or continues another row: use `of`.
   */
  columns(): string {
    const [history, meta] = [this.joinedOfOne('history', HISTORY), this.joinedOfOne('history_meta', HISTORY_META)];
    return `${history} AS history_text, ${meta} AS history_meta_text`;
  }

  private joinedOfOne(column: 'history' | 'history_meta', list: number): string {
    const ranges = `c.${column}`;
    const [from, to] = this.isSqlite
      ? // A cast reads the number at the start of a text, and `substr` takes all of a text without a `-`.
        [`CAST(${ranges} AS integer)`, `CAST(substr(${ranges}, instr(${ranges}, '-') + 1) AS integer)`]
      : [1, 2].map((part) => `CAST(split_part(${ranges} || '-' || ${ranges}, '-', ${part}) AS integer)`);
    return `CASE WHEN ${ranges} = '' THEN ${this.bytes(`''`)} WHEN ${ranges}_from IS NULL AND ${ranges} NOT LIKE '%,%' THEN ${this.bytes(
      `(SELECT string_agg(body, ',') FROM (SELECT m.body FROM message m
        WHERE m.thread_pk = c.thread_pk AND m.list = ${list} AND m.seq BETWEEN ${from} AND ${to} ORDER BY m.seq) AS elements)`,
    )} END`;
  }

  /** All ranges of a list; null if the thread is gone. */
  private async rangesOf(row: ListsOf, list: ListName, reader: SqlReader): Promise<string | null> {
    const from = row[`${list}_from`] ?? null;
    const length = row[`${list}_from_length`] ?? 0;
    if (from === null) return row[list];
    const [pk, first, end] = [row.thread_pk, from, length].map(String) as [string, string, string];
    const beginning = beginningSql(list, { threadPk: pk, row: first, length: end });
    const [found] = await reader.query<{ ranges: string | null }>(`SELECT ${beginning} AS ranges`);
    return typeof found?.ranges === 'string' ? `${found.ranges},${row[list]}` : null;
  }

  /** Range by range: a summarised history has its places out of log order. */
  private joined(pk: number, list: number, ranges: readonly Range[], params: SqlValue[]): string {
    if (ranges.length === 0) return `''`;
    if (ranges.length > MAX_SUBQUERIES) return this.bytes(this.joinedOfMany(pk, list, ranges, params));
    const isPrepared = ranges.length <= MAX_PREPARED_RANGES;
    const value = (number: number) => (isPrepared ? `$${params.push(number)}` : String(number));
    const texts = ranges.map(
      ([from, to]) => `(SELECT string_agg(body, ',') FROM (SELECT body FROM message
        WHERE thread_pk = ${value(pk)} AND list = ${list} AND seq BETWEEN ${value(from)} AND ${value(to)} ORDER BY seq) AS elements)`,
    );
    return this.bytes(texts.join(` || ',' || `));
  }

  /** The ranges as one value, for a join. */
  private joinedOfMany(pk: number, list: number, ranges: readonly Range[], params: SqlValue[]): string {
    const value = `$${params.push(JSON.stringify(ranges))}`;
    const end = (at: 0 | 1) => `CAST(r.value ->> ${at} AS integer)`;
    const within = `thread_pk = ${pk} AND list = ${list} AND seq BETWEEN ${end(0)} AND ${end(1)}`;
    // OFFSET 0 makes PostgreSQL look up each range by key, even without statistics.
    const from = this.isSqlite
      ? `json_each(${value}) AS r CROSS JOIN message m WHERE ${within}`
      : `json_array_elements(CAST(${value} AS json)) WITH ORDINALITY AS r(value, key)
         CROSS JOIN LATERAL (SELECT body, seq FROM message WHERE ${within} OFFSET 0) AS m`;
    return `(SELECT string_agg(body, ',') FROM (SELECT m.body FROM ${from} ORDER BY r.key, m.seq) AS elements)`;
  }

  /** SQLite returns bytes unchanged; the driver would decode a text, only for the server to encode it again. */
  private bytes(text: string): string {
    return this.isSqlite ? `CAST(${text} AS BLOB)` : text;
  }
}
