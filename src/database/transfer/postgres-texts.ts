import type pg from 'pg';
import { toDatabaseFault } from '../database-fault.js';
import { connectPostgres } from '../postgres-connection.js';
import { NO_LIMITS } from '../postgres-session.js';

/** Target size of a page of rows, in characters. */
const PAGE_TEXT = 4 * 1024 * 1024;
const MAX_PAGE_ROWS = 2000;

/** A row's values in PostgreSQL's text format. */
export type TextRow = (string | null)[];

export interface ColumnType {
  name: string;
  type: string;
}

/** PostgreSQL's text format: exact for every type. */
const AS_TEXT: pg.CustomTypesConfig = { getTypeParser: () => (text: string) => text };

/** A separate connection that reads tables as text. */
export class PostgresTexts {
  private constructor(private readonly client: pg.Client) {}

  /** @param purpose the connection's name in `pg_stat_activity` */
  static async open(url: string, purpose: string): Promise<PostgresTexts> {
    return new PostgresTexts(await connectPostgres({ url, name: purpose, limits: NO_LIMITS }, { types: AS_TEXT }));
  }

  async query(sql: string, params: readonly unknown[] = []): Promise<TextRow[]> {
    try {
      const result = await this.client.query<TextRow>({ text: sql, values: [...params], rowMode: 'array' });
      return result.rows;
    } catch (error) {
      throw toDatabaseFault(error);
    }
  }

  /** Rows with column names; all values are texts. */
  async records(sql: string): Promise<object[]> {
    try {
      return (await this.client.query<object>(sql)).rows;
    } catch (error) {
      throw toDatabaseFault(error);
    }
  }

  async existing(tables: readonly string[]): Promise<string[]> {
    const sql = `SELECT table_name FROM information_schema.tables
      WHERE table_schema = current_schema() AND table_name = ANY($1::text[]) ORDER BY table_name`;
    return (await this.query(sql, [tables])).map(([name]) => name!);
  }

  async columnsOf(table: string): Promise<ColumnType[]> {
    const rows = await this.query(COLUMNS_SQL, [table]);
    return rows.map(([name, type]) => ({ name: name!, type: type! }));
  }

  /** All rows, in pages. Needs a transaction. */
  async *pagesOf(table: string, columns: readonly string[]): AsyncGenerator<TextRow[]> {
    await this.query(`DECLARE page CURSOR FOR SELECT ${columns.map(quoted).join(', ')} FROM ${quoted(table)}`);
    for (let count = 100; ;) {
      const page = await this.query(`FETCH ${count} FROM page`);
      if (page.length === 0) break;
      yield page;
      count = nextPageRows(page);
    }
    await this.query('CLOSE page');
  }

  /** The columns whose values a sequence issues. */
  async numberedColumnsOf(table: string): Promise<string[]> {
    return (await this.query(SEQUENCES_SQL, [table])).map(([column]) => column!);
  }

  async close(): Promise<void> {
    await this.client.end().catch(() => undefined);
  }
}

const COLUMNS_SQL = `SELECT column_name AS name, data_type AS type FROM information_schema.columns
  WHERE table_schema = current_schema() AND table_name = $1 ORDER BY ordinal_position`;

const SEQUENCES_SQL = `SELECT column_name FROM information_schema.columns
  WHERE table_schema = current_schema() AND table_name = $1
    AND pg_get_serial_sequence(quote_ident(table_name), column_name) IS NOT NULL`;

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** How many rows the next page should have, by the last page's size. */
export function nextPageRows(page: readonly TextRow[]): number {
  return Math.min(MAX_PAGE_ROWS, Math.max(1, Math.floor((PAGE_TEXT * page.length) / textIn(page))));
}

function textIn(page: readonly TextRow[]): number {
  return page.reduce((sum, row) => row.reduce((part, value) => part + (value?.length ?? 0), sum + row.length), 1);
}

/** Where rows of texts go. */
export interface TextTarget {
  table: string;
  columns: readonly ColumnType[];
}

/** Anything that runs statements: TypeORM or the driver. */
export interface TextSink {
  query(sql: string, params: unknown[]): Promise<unknown>;
}

/** Inserts rows of texts in one statement, with one array per column. */
export async function insertTexts(
  sink: TextSink,
  { table, columns }: TextTarget,
  rows: readonly TextRow[],
): Promise<void> {
  const names = columns.map(({ name }) => quoted(name));
  const values = columns.map(({ type }, at) => `c${at}::${type}`);
  const arrays = columns.map((_, at) => `$${at + 1}::text[]`);
  const aliases = columns.map((_, at) => `c${at}`);
  await sink.query(
    `INSERT INTO ${quoted(table)} (${names.join(', ')})
     SELECT ${values.join(', ')} FROM unnest(${arrays.join(', ')}) AS given(${aliases.join(', ')})`,
    columns.map((_, at) => rows.map((row) => row[at] ?? null)),
  );
}
