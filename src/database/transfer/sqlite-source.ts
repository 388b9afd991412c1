import type { SqlValue } from '../database.js';
import { SqliteConnection } from '../sqlite-connection.js';
import { nextPageRows, quoted, type ColumnType, type TextRow } from './postgres-texts.js';

/** The key of a page's last row, as texts. */
export type RowKey = (string | null)[];

export interface SourcePage {
  rows: TextRow[];
  end: RowKey;
}

const WHOLE = ['integer', 'bigint'];

/** Reads a SQLite file's tables in PostgreSQL's text format. */
export class SqliteSource {
  private constructor(private readonly connection: SqliteConnection) {}

  static async open(path: string): Promise<SqliteSource> {
    return new SqliteSource(await SqliteConnection.open(path, 'read'));
  }

  async migrations(): Promise<string[]> {
    const rows = await this.connection.query<{ name: string }>('SELECT name FROM migration').catch(() => []);
    return rows.map(({ name }) => name);
  }

  /** Identifies the storage by its first thread. Empty if there is none. */
  async mark(): Promise<string> {
    const sql = 'SELECT id, started_at FROM thread ORDER BY pk LIMIT 1';
    const [first] = await this.connection.query<{ id: string; started_at: number }>(sql);
    return first ? `${first.id} ${first.started_at}` : '';
  }

  /**
   * The rows after `after` in key order, in pages.
   * @param columns with their PostgreSQL types
   */
  async *pagesOf(table: string, columns: readonly ColumnType[], after: RowKey | null): AsyncGenerator<SourcePage> {
    const key = await this.keyOf(table, columns);
    const names = key.map((at) => quoted(columns[at]!.name)).join(', ');
    const select = `SELECT ${columns.map(asText).join(', ')} FROM ${quoted(table)}`;
    let from = after;
    for (let count = 100; ;) {
      const behind = from === null ? '' : ` WHERE (${names}) > (${key.map((_, at) => `$${at + 1}`).join(', ')})`;
      const params = (from ?? []).map((text, at) => valueOf(text, columns[key[at]!]!));
      const found = await this.connection.query(`${select}${behind} ORDER BY ${names} LIMIT ${count}`, params);
      if (found.length === 0) return;
      const rows = found.map((row) => Object.values(row).map((value, at) => toText(value, columns[at]!)));
      yield { rows, end: (from = key.map((at) => rows.at(-1)![at]!)) };
      count = nextPageRows(rows);
    }
  }

  async countOf(table: string): Promise<number> {
    const [row] = await this.connection.query<{ total: number }>(`SELECT COUNT(*) AS total FROM ${quoted(table)}`);
    return row?.total ?? 0;
  }

  /** The highest number that the table's key has ever issued, including deleted rows; null if it issues none. */
  async lastNumber(table: string): Promise<string | null> {
    const sql = `SELECT CAST(seq AS TEXT) AS seq FROM sqlite_sequence WHERE name = $1`;
    const [row] = await this.connection.query<{ seq: string }>(sql, [table]).catch(() => []);
    return row?.seq ?? null;
  }

  async close(): Promise<void> {
    await this.connection.close();
  }

  /** Positions of the primary key's columns, in key order. */
  private async keyOf(table: string, columns: readonly ColumnType[]): Promise<number[]> {
    const info = await this.connection.query<{ name: string; pk: number }>(`PRAGMA table_info(${quoted(table)})`);
    const parts = info.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
    return parts.map((part) => columns.findIndex(({ name }) => name === part.name));
  }
}

/** Integers leave SQLite as text, so that none is rounded. Under the column's own name, the text would also change the order. */
function asText({ name, type }: ColumnType, at: number): string {
  return `${WHOLE.includes(type) ? `CAST(${quoted(name)} AS TEXT)` : quoted(name)} AS given_${at}`;
}

function toText(value: unknown, { type }: ColumnType): string | null {
  if (value === null) return null;
  return type === 'boolean' ? (value ? 't' : 'f') : String(value);
}

function valueOf(text: string | null, { type }: ColumnType): SqlValue {
  return text !== null && WHOLE.includes(type) ? Number(text) : text;
}
