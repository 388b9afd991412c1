import type { Dialect, SqlValue } from './database.js';

/** Reads the same in both dialects. */
type PlainValue = Exclude<SqlValue, string>;

/**
 * A value as SQL text. Group commits inline their values: one script is one round trip, while prepared statements would need one each.
 * @throws RangeError on U+0000 and on non-finite numbers: neither can be stored, and callers refuse them earlier
 */
export function sqlLiteral(value: PlainValue): string;
export function sqlLiteral(value: SqlValue, dialect: Dialect): string;
export function sqlLiteral(value: SqlValue, dialect?: Dialect): string {
  return String(sqlPiece(value, dialect!));
}

/** A piece to be joined with others, which converts numbers. */
export function sqlPiece(value: SqlValue, dialect: Dialect): string | number {
  if (value === null) return 'NULL';
  if (typeof value === 'string') return sqlText(value, dialect);
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  if (!Number.isFinite(value)) throw new RangeError('A number that is not finite cannot be stored.');
  return value;
}

/** Literals in parentheses, for `IN` and `VALUES`. */
export function sqlTuple(values: readonly PlainValue[]): string;
export function sqlTuple(values: readonly SqlValue[], dialect: Dialect): string;
export function sqlTuple(values: readonly SqlValue[], dialect?: Dialect): string {
  let tuple = '(';
  for (let i = 0; i < values.length; i++) tuple += (i === 0 ? '' : ',') + sqlLiteral(values[i]!, dialect!);
  return tuple + ')';
}

/** PostgreSQL reads backslashes in ordinary literals by its setting `standard_conforming_strings`; with an E the reading is fixed. */
function sqlText(text: string, dialect: Dialect): string {
  if (text.includes('\0')) throw new RangeError('U+0000 cannot be stored in a text.');
  const quoted = text.includes("'") ? text.replaceAll("'", "''") : text;
  return dialect === 'postgres' && text.includes('\\') ? `E'${quoted.replaceAll('\\', '\\\\')}'` : `'${quoted}'`;
}
