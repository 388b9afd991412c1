import { LONG_BYTES, LongText } from '../../../../common/long-text.js';
import type { BoundStatement, Dialect, ScriptPart, SqlValue } from '../../../../database/database.js';
import { sqlLiteral, sqlPiece } from '../../../../database/sql-literal.js';

/** A last column computed by the database, the same for all rows of a statement. */
export interface WorkedOut {
  column: string;
  sql: string;
  /** It reads tables, so each statement has it only once: SQLite plans every occurrence. */
  isQuery: boolean;
}

type Value = SqlValue | LongText;
type Row = Record<string, Value>;

/** Longest statement text in characters: building a longer one would delay other requests. */
const PART_LENGTH = 1024 * 1024;

/** The statements of one commit, one per table and kind of change. Short values are part of the text, long ones are bound. */
export class RowScript {
  private readonly parts: ScriptPart[] = [];
  private text = '';

  constructor(readonly dialect: Dialect) {}

  /** @param parts statements as text, each with its semicolon, or one with its values, in whose text `$` only starts placeholders */
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

  /** @param fixed columns that never change after the insert; their indexes are left alone */
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

  update(table: string, row: object, columns: readonly string[], where: string): this {
    const values = new Values(this.dialect);
    const changes = columns.map((column) => `${column}=${values.take((row as Row)[column]!)}`);
    return this.addStatement(`UPDATE ${table} SET ${changes.join(',')} WHERE ${where};`, values);
  }

  /** The statements in order; one text if that is short enough. */
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

/** The text after a placeholder, and the index of its value; the first piece has none. */
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
  end: string;
}

function beginOf({ table, columns, last }: Pick<Insertion, 'table' | 'columns' | 'last'>): string {
  return `INSERT INTO ${table}(${columns.join(',')}${last ? `,${last.column}` : ''})`;
}

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

/** Values longer than `LONG_BYTES` are bound: copying them into the text would delay other requests. */
function lengthOf(value: Value): number {
  return typeof value === 'string' || value instanceof LongText ? value.length : PIECE_LENGTH;
}

interface Tuples {
  columns: readonly string[];
  texts: readonly string[];
}

/** Longest text of a number or boolean. */
const PIECE_LENGTH = 24;

/**
 * The rows for one statement: up to the text limit, and up to the first row with a long value. Columns that are null in every row are left
 * out: no nullable column has a default, and each value costs the database work.
 */
function tuplesOf({ columns }: Insertion, rows: readonly Row[], from: number, dialect: Dialect): Tuples {
  // Row by row in one array: an array for each row burdens the garbage collector.
  const values: Value[] = [];
  const isNeeded = columns.map((_, place) => place === 0);
  let count = 0;
  for (let length = 0; from + count < rows.length && length <= PART_LENGTH; count++) {
    const row = rows[from + count]!;
    for (let place = 0; place < columns.length; place++) {
      const value = row[columns[place]!]!;
      values.push(value);
      if (value === null) continue;
      const size = lengthOf(value);
      if (size > LONG_BYTES) return textsOf(columns, isNeeded, { values, count }, dialect);
      isNeeded[place] = true;
      length += size;
    }
  }
  return textsOf(columns, isNeeded, { values, count }, dialect);
}

/** Joined row by row: concatenating piece by piece burdens the garbage collector. */
function textsOf(
  columns: readonly string[],
  isNeeded: readonly boolean[],
  { values, count }: { values: readonly Value[]; count: number },
  dialect: Dialect,
): Tuples {
  const places = [...columns.keys()].filter((place) => isNeeded[place]);
  const pieces = new Array<string | number>(places.length);
  const texts = new Array<string>(count);
  for (let row = 0; row < count; row++) {
    for (let i = 0; i < places.length; i++) {
      const value = values[row * columns.length + places[i]!]!;
      pieces[i] = sqlPiece(value instanceof LongText ? value.toString() : value, dialect);
    }
    texts[row] = pieces.join();
  }
  return { columns: places.map((place) => columns[place]!), texts };
}

function inOneText(insertion: Insertion, { columns, texts }: Tuples): string {
  const { table, last, end } = insertion;
  const [before, after] = aroundRows(last);
  const betweenRows = last && !last.isQuery ? `,${last.sql}),(` : '),(';
  return `${beginOf({ table, columns, last })}${before}(${texts.join(betweenRows)}${after}${end}`;
}

/** PostgreSQL would treat the values of a SELECT as text; without the WHERE, SQLite would parse ON CONFLICT as a join. */
function aroundRows(last: WorkedOut | undefined): [string, string] {
  if (!last) return [' VALUES ', ')'];
  return last.isQuery ? [` SELECT *,${last.sql} FROM (VALUES `, ')) WHERE TRUE'] : [' VALUES ', `,${last.sql})`];
}
