import type { Database } from '../../../database/database.js';

/**
 * Columns that the database returns as one JSON array: the SQLite driver takes longer to return a column than SQLite takes to find a
 * row. Not for doubles, which SQLite rounds to 15 digits in text.
 */
export class PackedColumns<Row extends object> {
  private readonly names: readonly string[];
  private readonly expressions: string;

  /** @param expressions SQL for each column */
  constructor(expressions: { readonly [Name in keyof Row]?: string }) {
    this.names = Object.keys(expressions);
    this.expressions = Object.values(expressions).join(', ');
  }

  /** The column `packed` for a SELECT. */
  sql(dialect: Database['dialect']): string {
    const array = dialect === 'sqlite' ? 'json_array' : 'json_build_array';
    return `CAST(${array}(${this.expressions}) AS text) AS packed`;
  }

  /** The row with its columns in place of `packed`. */
  unpack<Rest extends object>({ packed, ...rest }: Rest & { packed: string }): Row & Omit<Rest, 'packed'> {
    const values = JSON.parse(packed) as unknown[];
    const row: Record<string, unknown> = rest;
    for (let i = 0; i < this.names.length; i++) row[this.names[i]!] = values[i];
    return row as never;
  }
}
