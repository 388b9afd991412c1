import type { Database } from '../../../database/database.js';

/** Bytes of texts up to which a row comes whole: a page of them fits into little memory. */
const SHORT_BYTES = 16 * 1024;

/** A row with long texts as a page has it: its key alone. Read it whole, and no other at the same time. */
export type LongRow<Row extends object, Key extends keyof Row> = Pick<Row, Key> & { readonly isLong: true };

/**
 * Columns that the database returns as one JSON object: the SQLite driver takes longer to return a column than SQLite takes to find a
 * row. Not for doubles, which SQLite rounds to 15 digits in text.
 */
export class PackedColumns<Row extends object, Key extends keyof Row> {
  private readonly names: readonly string[];

  /**
   * @param expressions SQL for each column
   * @param key columns by which a row can be found again
   * @param texts columns that agents may make long
   * @param pages what pages have of columns that are put together, and when a row counts as long because of them
   */
  constructor(
    private readonly expressions: { readonly [Name in keyof Row]?: string },
    private readonly key: readonly Key[],
    private readonly texts: readonly (keyof Row)[],
    private readonly pages: { columns: { readonly [Name in keyof Row]?: string }; isLong: string } | null = null,
  ) {
    this.names = Object.keys(expressions);
  }

  /** The column `packed` for a page of rows; databases tell the length of a text without reading it. */
  sql(dialect: Database['dialect']): string {
    const object = dialect === 'sqlite' ? 'json_object' : 'json_build_object';
    const yes = dialect === 'sqlite' ? "json('true')" : 'true';
    const columns = { ...this.expressions, ...this.pages?.columns };
    const bytes = this.texts.map((name) => `COALESCE(octet_length(${columns[name]}), 0)`).join(' + ');
    const ofKey = this.key.map((name) => `'${String(name)}', ${columns[name]}`).join(', ');
    const ofAll = this.names.map((name) => `'${name}', ${columns[name as keyof Row]}`).join(', ');
    const isLong = `${this.pages ? `${this.pages.isLong} OR ` : ''}${bytes} > ${SHORT_BYTES}`;
    return `CAST(CASE WHEN ${isLong} THEN ${object}(${ofKey}, 'isLong', ${yes}) ELSE ${object}(${ofAll}) END AS text) AS packed`;
  }

  /** The columns one by one, for a single row, however long. */
  wholeSql(): string {
    return this.names.map((name) => `${this.expressions[name as keyof Row]} AS ${name}`).join(', ');
  }

  /** The row with its columns in place of `packed`. */
  unpack<Rest extends object>({
    packed,
    ...rest
  }: Rest & { packed: string }): (Row | LongRow<Row, Key>) & Omit<Rest, 'packed'> {
    return Object.assign(JSON.parse(packed) as Row | LongRow<Row, Key>, rest);
  }
}

/** Whether a row of a page is to be read whole. */
export function isLong<Long extends { readonly isLong: true }>(row: object | Long): row is Long {
  return 'isLong' in row;
}
