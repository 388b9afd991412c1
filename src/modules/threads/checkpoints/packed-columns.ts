import type { Database } from '../../../database/database.js';

/** Bytes of text up to which a page includes the whole row, so that it takes little memory. */
const SHORT_BYTES = 16 * 1024;

/** A row with long texts, of which a page has only the key. Read such rows whole one at a time. */
export type LongRow<Row extends object, Key extends keyof Row> = Pick<Row, Key> & { readonly isLong: true };

/**
 * Columns that the database returns as one JSON object: the SQLite driver takes longer to return a column than SQLite takes to find a row.
 * Not for doubles, which SQLite rounds to 15 digits in text.
 */
export class PackedColumns<Row extends object, Key extends keyof Row> {
  private readonly names: readonly string[];

  /**
   * @param expressions SQL for each column
   * @param key columns that identify a row
   * @param texts columns that agents may fill with long texts
   * @param pages how pages show composed columns, and when these make a row long
   */
  constructor(
    private readonly expressions: { readonly [Name in keyof Row]?: string },
    private readonly key: readonly Key[],
    private readonly texts: readonly (keyof Row)[],
    private readonly pages: { columns: { readonly [Name in keyof Row]?: string }; isLong: string } | null = null,
  ) {
    this.names = Object.keys(expressions);
  }

  /** The column `packed` for a page of rows; databases know a text's length without reading it. */
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

  /** The separate columns, for a single row of any length. */
  wholeSql(): string {
    return this.names.map((name) => `${this.expressions[name as keyof Row]} AS ${name}`).join(', ');
  }

  unpack<Rest extends object>({
    packed,
    ...rest
  }: Rest & { packed: string }): (Row | LongRow<Row, Key>) & Omit<Rest, 'packed'> {
    return Object.assign(JSON.parse(packed) as Row | LongRow<Row, Key>, rest);
  }
}

export function isLong<Long extends { readonly isLong: true }>(row: object | Long): row is Long {
  return 'isLong' in row;
}
