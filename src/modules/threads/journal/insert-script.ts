import type { SqlValue } from '../../../database/database.js';
import { sqlLiteral } from '../../../database/sql-literal.js';

export function insert(table: string, columns: readonly string[], rows: readonly object[]): string {
  return rows.length === 0 ? '' : insertInto(table, columns, rows, ';');
}

/** @param fixed columns that never change after the row was made; indexes on them are left alone */
export function upsert(
  table: string,
  keys: readonly string[],
  columns: readonly string[],
  fixed: readonly string[],
  rows: readonly object[],
): string {
  if (rows.length === 0) return '';
  const changes = columns.filter((column) => !fixed.includes(column)).map((column) => `${column}=excluded.${column}`);
  return insertInto(table, columns, rows, ` ON CONFLICT(${keys.join(',')}) DO UPDATE SET ${changes.join(',')};`);
}

/** Joined once from many pieces: texts put together piece by piece are much work for the garbage collector. */
function insertInto(table: string, columns: readonly string[], rows: readonly object[], end: string): string {
  const pieces = new Array<string>(rows.length * columns.length * 2 + 2);
  pieces[0] = `INSERT INTO ${table}(${columns.join(',')}) VALUES `;
  let at = 1;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as Record<string, SqlValue>;
    for (let k = 0; k < columns.length; k++) {
      pieces[at++] = k > 0 ? ',' : i > 0 ? '),(' : '(';
      pieces[at++] = sqlLiteral(row[columns[k]!]!);
    }
  }
  pieces[at] = `)${end}`;
  return pieces.join('');
}
