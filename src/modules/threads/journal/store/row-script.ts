import { LONG_BYTES, LongText } from '../../../../common/long-text.js';
import type { BoundStatement, Dialect, ScriptPart, SqlValue } from '../../../../database/database.js';
import { sqlLiteral, sqlPiece } from '../../../../database/sql-literal.js';

/** A last column whose value the database works out, the same for all rows of a statement. */
export interface WorkedOut {
  column: string;
  sql: string;
  /** It reads tables, so once a statement must do: SQLite plans each time that it is written. */
  isQuery: boolean;
}

type Value = SqlValue | LongText;
type Row = Record<string, Value>;

/** Characters of a statement, or of statements together, that a text may have: to make a longer one would hold other requests up. */
const PART_LENGTH = 1024 * 1024;

/** The statements of one commit, one a table and kind of change, with the values in their text as far as these are short. */
export class RowScript {
  private readonly parts: ScriptPart[] = [];
  private text = '';

  constructor(readonly dialect: Dialect) {}

  /** @param parts statements as text, each with its semicolon, or one with its values, whose text has no `$` but its placeholders */
  add(...parts: readonly ScriptPart[]): this {
    for (const part of parts) {
      if (typeof part === 'string') this.addText(part);
      else this.addBound(part);
    }
    return this;
  }

  insert(table: string, columns: readonly string[], rows: readonly object[], last?: WorkedOut): this {
    return this.addRows({ table, columns, last, end: ';' }, rows as readonly Row[]);
  }

  /** @param fixed columns that never change after the row was made; indexes on them are left alone */
  upsert(
    table: string,
    keys: readonly string[],
    columns: readonly string[],
    fixed: readonly string[],
    rows: readonly object[],
    last?: WorkedOut,
  ): this {
    const changing = [...columns.filter((column) => !fixed.includes(column)), ...(last ? [last.column] : [])];
    const changes = changing.map((column) => `${column}=excluded.${column}`);
    const end = ` ON CONFLICT(${keys.join(',')}) DO UPDATE SET ${changes.join(',')};`;
    return this.addRows({ table, columns, last, end }, rows as readonly Row[]);
  }

  /** @param where the condition, with its values in its text */
  update(table: string, row: object, columns: readonly string[], where: string): this {
    const values = new Values(this.dialect);
    const changes = columns.map((column) => `${column}=${values.take((row as Row)[column]!)}`);
    return this.addStatement(`UPDATE ${table} SET ${changes.join(',')} WHERE ${where};`, values);
  }

  /** All of it, in its order; a single text where that is not long. */
  finish(): readonly ScriptPart[] {
    if (this.text !== '') this.parts.push(this.text);
    this.text = '';
    return this.parts;
  }

  private addText(text: string): void {
    if (this.text.length + text.length > PART_LENGTH) this.finish();
    this.text += text;
  }

  private addRows(insertion: Insertion, rows: readonly Row[]): this {
    let from = 0;
    while (from < rows.length) {
      const tuples = tuplesOf(insertion, rows, from, this.dialect);
      const count = tuples.texts.length;
      if (count > 0) this.add(inOneText(insertion, tuples));
      from += count;
      if (count === 0) this.addLongRow(insertion, rows[from++]!);
    }
    return this;
  }

  private addLongRow(insertion: Insertion, row: Row): void {
    const { columns, last, end } = insertion;
    const values = new Values(this.dialect);
    const tuple = columns.map((column) => values.take(row[column]!)).join(',');
    this.addStatement(`${beginOf(insertion)} VALUES (${tuple}${last ? `,${last.sql}` : ''})${end}`, values);
  }

  private addBound({ sql, params }: BoundStatement): void {
    const values = new Values(this.dialect);
    const [first, ...others] = piecesOf(sql);
    let text = first!.text;
    for (const { place, text: following } of others) text += values.take(params[place]!) + following;
    this.addStatement(`${text};`, values);
  }

  private addStatement(sql: string, { bound }: Values): this {
    if (bound.length === 0) return this.add(sql);
    this.finish();
    this.parts.push({ sql, params: bound });
    return this;
  }
}

/** The text of a statement that follows a placeholder, and the place of its value; before the first there is none. */
interface Piece {
  place: number;
  text: string;
}

const MAX_TEMPLATES = 100;
const templates = new Map<string, readonly Piece[]>();

/** A report of many small events repeats one statement many times. */
function piecesOf(sql: string): readonly Piece[] {
  const known = templates.get(sql);
  if (known) return known;
  const parts = sql.split(/\$(\d+)/);
  const pieces: Piece[] = [{ place: -1, text: parts[0]! }];
  for (let i = 1; i < parts.length; i += 2) pieces.push({ place: Number(parts[i]) - 1, text: parts[i + 1]! });
  if (templates.size >= MAX_TEMPLATES) templates.clear();
  templates.set(sql, pieces);
  return pieces;
}

interface Insertion {
  table: string;
  columns: readonly string[];
  last: WorkedOut | undefined;
  /** What follows the rows. */
  end: string;
}

function beginOf({ table, columns, last }: Pick<Insertion, 'table' | 'columns' | 'last'>): string {
  return `INSERT INTO ${table}(${columns.join(',')}${last ? `,${last.column}` : ''})`;
}

/** The values of a statement: as its text, the long ones bound. */
class Values {
  readonly bound: (string | Buffer)[] = [];

  constructor(private readonly dialect: Dialect) {}

  take(value: Value | Buffer): string {
    if (Buffer.isBuffer(value)) return this.bind(value);
    const text = value instanceof LongText ? value.orString() : value;
    if (text instanceof LongText) return text.parts.map((part) => `CAST(${this.bind(part)} AS TEXT)`).join('||');
    return typeof text === 'string' && text.length > LONG_BYTES ? this.bind(text) : sqlLiteral(text, this.dialect);
  }

  private bind(value: string | Buffer): string {
    this.bound.push(value);
    return `$${this.bound.length}`;
  }
}

/** Values longer than `LONG_BYTES` are bound: to make them part of a statement's text would hold other requests up. */
function lengthOf(value: Value): number {
  return typeof value === 'string' || value instanceof LongText ? value.length : PIECE_LENGTH;
}

/** Rows of one statement: the columns that they need, and the values of each row as one text. */
interface Tuples {
  columns: readonly string[];
  texts: readonly string[];
}

/** Characters of the text of a number or a flag, at most. */
const PIECE_LENGTH = 24;

/**
 * The rows that go into one statement: no more than its text may be long, and none from a row on that has a long value. A column that is
 * null in all of them is left out: it is null without a value, too (none that may be null has a default), and each value is work for
 * the database.
 */
function tuplesOf({ columns }: Insertion, rows: readonly Row[], from: number, dialect: Dialect): Tuples {
  const short: Value[][] = [];
  const isNeeded = columns.map((_, place) => place === 0);
  let length = 0;
  for (let i = from; i < rows.length && length <= PART_LENGTH; i++) {
    const row = rows[i]!;
    const values = columns.map((column) => row[column]!);
    for (let k = 0; k < values.length; k++) {
      const value = values[k]!;
      if (value === null) continue;
      const size = lengthOf(value);
      if (size > LONG_BYTES) return textsOf(columns, isNeeded, short, dialect);
      isNeeded[k] = true;
      length += size;
    }
    short.push(values);
  }
  return textsOf(columns, isNeeded, short, dialect);
}

/** Joined row by row: texts put together piece by piece are much work for the garbage collector. */
function textsOf(
  columns: readonly string[],
  isNeeded: readonly boolean[],
  rows: readonly Value[][],
  dialect: Dialect,
): Tuples {
  const places = [...columns.keys()].filter((place) => isNeeded[place]);
  const pieces = new Array<string | number>(places.length);
  const texts = rows.map((values) => {
    for (let i = 0; i < places.length; i++) {
      const value = values[places[i]!]!;
      pieces[i] = sqlPiece(value instanceof LongText ? value.toString() : value, dialect);
    }
    return pieces.join();
  });
  return { columns: places.map((place) => columns[place]!), texts };
}

function inOneText(insertion: Insertion, { columns, texts }: Tuples): string {
  const { table, last, end } = insertion;
  const [before, after] = aroundRows(last);
  const betweenRows = last && !last.isQuery ? `,${last.sql}),(` : '),(';
  return `${beginOf({ table, columns, last })}${before}(${texts.join(betweenRows)}${after}${end}`;
}

/** PostgreSQL would take the values of a SELECT for texts; without the WHERE, SQLite would take ON CONFLICT for a join. */
function aroundRows(last: WorkedOut | undefined): [string, string] {
  if (!last) return [' VALUES ', ')'];
  return last.isQuery ? [` SELECT *,${last.sql} FROM (VALUES `, ')) WHERE TRUE'] : [' VALUES ', `,${last.sql})`];
}
