import type { PortDataSource } from '../../../database/port-data-source.js';
import type { SqlRow, SqlValue } from '../../../database/database.js';

const MAX_INTEGER = 2 ** 31 - 1;
/** The last moment that a `Date` can hold, in milliseconds since 1970. */
export const MAX_TIME = 8.64e15;

interface ColumnShape {
  name: string;
  type: string;
  isNullable: boolean;
  /** What its absence in an older export means; undefined if every export has it. */
  whenAbsent: SqlValue | undefined;
}

/** A table of a thread in an export: all columns except the thread's number and `change_no`, which differ between databases. */
export class TableShape {
  private constructor(
    readonly table: string,
    /** The columns that identify a row within a thread, in key order. */
    readonly keys: readonly string[],
    private readonly columns: readonly ColumnShape[],
  ) {}

  /** @param own the column with the thread's number */
  static of(source: PortDataSource, table: string, own: string): TableShape {
    const entity = source.entityMetadatas.find(({ tableName }) => tableName === table);
    if (!entity) throw new Error(`No entity describes the table ${table}.`);
    const names = entity.primaryColumns.map(({ databaseName }) => databaseName);
    const columns = entity.columns.map((column) => ({
      name: column.databaseName,
      type: String(column.type),
      isNullable: column.isNullable,
      whenAbsent: column.isNullable ? null : (column.default as SqlValue | undefined),
    }));
    const isOther = (name: string) => name !== own && name !== 'change_no';
    return new TableShape(
      table,
      names.filter(isOther),
      columns.filter(({ name }) => isOther(name)),
    );
  }

  get names(): string[] {
    return this.columns.map(({ name }) => name);
  }

  /** Columns whose values may be long. */
  get texts(): string[] {
    return this.columns.filter(({ type }) => type === 'text').map(({ name }) => name);
  }

  /** The row for a line: SQLite returns booleans as numbers. */
  exported(row: SqlRow): SqlRow {
    return Object.fromEntries(
      this.columns.map(({ name, type }) => [name, type === 'boolean' ? Boolean(row[name]) : row[name]]),
    );
  }

  /** The row of a line, or what is wrong with it. */
  imported(members: Record<string, unknown>): { row: Record<string, SqlValue> } | { fault: string } {
    const unknown = Object.keys(members).find((name) => !this.columns.some((column) => column.name === name));
    if (unknown !== undefined) return { fault: `The table ${this.table} of this server has no column ${unknown}.` };
    const row: Record<string, SqlValue> = {};
    for (const column of this.columns) {
      const value = members[column.name] === undefined ? column.whenAbsent : members[column.name];
      if (!fits(value, column))
        return { fault: `${this.table}.${column.name} is missing or not of type ${column.type}.` };
      row[column.name] = value;
    }
    return { row };
  }
}

function fits(value: unknown, { name, type, isNullable }: ColumnShape): value is SqlValue {
  if (value === null) return isNullable;
  switch (type) {
    case 'integer':
      return Number.isInteger(value) && Math.abs(value as number) <= MAX_INTEGER;
    case 'bigint':
      return Number.isSafeInteger(value) && (!name.endsWith('_at') || Math.abs(value as number) <= MAX_TIME);
    case 'boolean':
      return typeof value === 'boolean';
    case 'text':
      return typeof value === 'string' && !value.includes('\0') && value.isWellFormed();
    default:
      return Number.isFinite(value);
  }
}
