import type pg from 'pg';
import { toDatabaseFault } from '../database-fault.js';
import { connectPostgres } from '../postgres-connection.js';
import { NO_LIMITS } from '../postgres-session.js';
import type { BackupRow, BackupSequence } from './backup-lines.js';

/** Target size of a page of rows, in characters. */
const PAGE_TEXT = 4 * 1024 * 1024;
const MAX_PAGE_ROWS = 2000;

export interface ColumnType {
  name: string;
  type: string;
}

/** Values as PostgreSQL's own texts: exact for every type. */
const AS_TEXT: pg.CustomTypesConfig = { getTypeParser: () => (text: string) => text };

/** A separate connection that reads tables as text. */
export class PostgresTexts {
  private constructor(private readonly client: pg.Client) {}

  /** @param purpose the name of the connection in `pg_stat_activity` */
  static async open(url: string, purpose: string): Promise<PostgresTexts> {
    return new PostgresTexts(await connectPostgres({ url, name: purpose, limits: NO_LIMITS }, { types: AS_TEXT }));
  }

  async query(sql: string, params: readonly unknown[] = []): Promise<BackupRow[]> {
    try {
      const result = await this.client.query<BackupRow>({ text: sql, values: [...params], rowMode: 'array' });
      return result.rows;
    } catch (error) {
      throw toDatabaseFault(error);
    }
  }

  /** Rows with the names of their columns, all values still texts. */
  async records(sql: string): Promise<object[]> {
    try {
      return (await this.client.query<object>(sql)).rows;
    } catch (error) {
      throw toDatabaseFault(error);
    }
  }

  /**
   * Starts a snapshot: later reads see the data as of now. It blocks schema changes of the tables, but not writes.
   * @returns those of the tables that exist
   */
  async beginSnapshot(tables: readonly string[]): Promise<string[]> {
    await this.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const found = await this.existing(tables);
    for (const table of [...found, 'migration']) await this.query(`LOCK TABLE ${quoted(table)} IN ACCESS SHARE MODE`);
    return found;
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
  async *pagesOf(table: string, columns: readonly string[]): AsyncGenerator<BackupRow[]> {
    await this.query(`DECLARE page CURSOR FOR SELECT ${columns.map(quoted).join(', ')} FROM ${quoted(table)}`);
    for (let count = 100; ;) {
      const page = await this.query(`FETCH ${count} FROM page`);
      if (page.length === 0) break;
      yield page;
      count = nextPageRows(page);
    }
    await this.query('CLOSE page');
  }

  async sequencesOf(table: string): Promise<BackupSequence[]> {
    const found: BackupSequence[] = [];
    for (const [column, sequence] of await this.query(SEQUENCES_SQL, [table])) {
      const [row] = await this.query(`SELECT CASE WHEN is_called THEN last_value END FROM ${sequence}`);
      found.push({ table, column: column!, last: row?.[0] ?? null });
    }
    return found;
  }

  async close(): Promise<void> {
    await this.client.end().catch(() => undefined);
  }
}

const COLUMNS_SQL = `SELECT column_name AS name, data_type AS type FROM information_schema.columns
  WHERE table_schema = current_schema() AND table_name = $1 ORDER BY ordinal_position`;

/** `sequence` is already quoted if necessary. */
const SEQUENCES_SQL = `SELECT column_name, pg_get_serial_sequence(quote_ident(table_name), column_name) AS sequence
  FROM information_schema.columns
  WHERE table_schema = current_schema() AND table_name = $1
    AND pg_get_serial_sequence(quote_ident(table_name), column_name) IS NOT NULL`;

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** How many rows the next page should have, by the size of the last page. */
export function nextPageRows(page: readonly BackupRow[]): number {
  return Math.min(MAX_PAGE_ROWS, Math.max(1, Math.floor((PAGE_TEXT * page.length) / textIn(page))));
}

function textIn(page: readonly BackupRow[]): number {
  return page.reduce((sum, row) => row.reduce((part, value) => part + (value?.length ?? 0), sum + row.length), 1);
}
