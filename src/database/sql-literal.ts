import type { SqlValue } from './database.js';

/**
 * A value as SQL text that SQLite and PostgreSQL (standard_conforming_strings, the default since 9.1) read alike.
 * Group commits inline their values: one script is one round trip, where prepared statements would be one each.
 * @throws RangeError on U+0000 and on numbers that are not finite: neither can be stored, and the callers refuse them before.
 */
export function sqlLiteral(value: SqlValue): string {
  return String(sqlPiece(value));
}

/** The same as a piece to be joined with others: a number is made a text only then. */
export function sqlPiece(value: SqlValue): string | number {
  if (value === null) return 'NULL';
  if (typeof value === 'string') return sqlText(value);
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  if (!Number.isFinite(value)) throw new RangeError('A number that is not finite cannot be stored.');
  return value;
}

/** Literals in brackets, for `IN` and `VALUES`. */
export function sqlTuple(values: readonly SqlValue[]): string {
  let tuple = '(';
  for (let i = 0; i < values.length; i++) tuple += (i === 0 ? '' : ',') + sqlLiteral(values[i]!);
  return tuple + ')';
}

function sqlText(text: string): string {
  if (text.includes('\0')) throw new RangeError('U+0000 cannot be stored in a text.');
  return text.includes("'") ? `'${text.replaceAll("'", "''")}'` : `'${text}'`;
}
