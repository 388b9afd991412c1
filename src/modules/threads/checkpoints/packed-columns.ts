import type { Database } from '../../../database/database.js';

/** Bytes of texts up to which a row comes whole: a page of them fits into little memory. */
const SHORT_BYTES = 16 * 1024;

/** A row with long texts as a page has it: its key alone. Read it whole, and no other at the same time. */
export type LongRow<Row extends object, Key extends keyof Row> = Pick<Row, Key> & { readonly isLong: true };

/**
 * Columns that the database returns as one JSON array: the SQLite driver takes longer to return a column than SQLite takes to find a
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
    const array = dialect === 'sqlite' ? 'json_array' : 'json_build_array';
    const columns = { ...this.expressions, ...this.pages?.columns };
    const bytes = this.texts.map((name) => `COALESCE(octet_length(${columns[name]}), 0)`).join(' + ');
    const ofKey = this.key.map((name) => columns[name]).join(', ');
    const ofAll = Object.values(columns).join(', ');
    const isLong = `${this.pages ? `${this.pages.isLong} OR ` : ''}${bytes} > ${SHORT_BYTES}`;
    return `CAST(CASE WHEN ${isLong} THEN ${array}(${ofKey}) ELSE ${array}(${ofAll}) END AS text) AS packed`;
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
    const values = JSON.parse(packed) as unknown[];
    const isLong = values.length < this.names.length;
    return Object.assign(
      isLong ? { ...rowOf(this.key as readonly string[], values), isLong } : rowOf(this.names, values),
      rest,
    ) as never;
  }
}

function rowOf(names: readonly string[], values: readonly unknown[]): object {
  return Object.fromEntries(names.map((name, at) => [name, values[at]]));
}

/** Whether a row of a page is to be read whole. */
export function isLong<Long extends { readonly isLong: true }>(row: object | Long): row is Long {
  return 'isLong' in row;
}
