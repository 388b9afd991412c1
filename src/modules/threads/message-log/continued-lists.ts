import type { Checkpoint } from '../entities/checkpoint.entity.js';
import { formatRanges, type Range } from './ranges.js';

export type ListName = 'history' | 'history_meta';

/** Columns that say which rows the lists of a checkpoint go on from. */
export type Continuation = Pick<
  Checkpoint,
  'history_from' | 'history_from_length' | 'history_meta_from' | 'history_meta_from_length'
>;

/** A list, and a checkpoint of the thread whose list begins with these ranges, up to the last of them; null if none is known. */
export interface ListInRow {
  readonly ranges: readonly Range[];
  readonly row: number | null;
}

/** Characters that a row must spare to leave the beginning of its list to another one: ordinary rows are whole. */
const MIN_SPARED_LENGTH = 4096;
/** Fewer ranges have a shorter text, whatever their numbers. */
const MIN_RANGES = 128;
/**
 * One of so many rows is whole nevertheless, chosen by chance, so that the chains of rows stay short whichever row a reporter continues
 * from: with a limit, each report on a row at the limit would store all ranges.
 */
const ROWS_PER_WHOLE = 128;

/** How a row stores a list. @param before the list that it is compared with */
export function storedList(ranges: readonly Range[], before: ListInRow): ContinuedRow {
  const shared = before.row === null || ranges.length < MIN_RANGES ? 0 : sharedRanges(ranges, before.ranges);
  const length = shared < MIN_RANGES ? 0 : textLength(ranges, shared);
  const isWhole = length < MIN_SPARED_LENGTH || Math.random() * ROWS_PER_WHOLE < 1;
  return {
    text: formatRanges(isWhole ? ranges : ranges.slice(shared)),
    from: isWhole ? null : before.row,
    length: isWhole ? null : length,
  };
}

/** The same row under another number: what would be long in it is left to the first one. */
export function copiedLists(row: Checkpoint): Partial<Checkpoint> {
  return { ...copiedList('history', row), ...copiedList('history_meta', row) };
}

function copiedList(list: ListName, row: Checkpoint): Partial<Checkpoint> {
  const text = row[list];
  const last = text.lastIndexOf(',');
  if (last < MIN_SPARED_LENGTH || Math.random() * ROWS_PER_WHOLE < 1) return {};
  const before = row[`${list}_from_length`];
  const length = (before === null ? 0 : before + 1) + last;
  return { [list]: text.slice(last + 1), [`${list}_from`]: row.seq, [`${list}_from_length`]: length };
}

/** How many ranges both begin with alike, without the last of either: it may go on elsewhere, and the row needs one of its own. */
function sharedRanges(ranges: readonly Range[], before: readonly Range[]): number {
  const limit = Math.min(ranges.length, before.length) - 1;
  let shared = 0;
  while (shared < limit && isSame(ranges[shared]!, before[shared]!)) shared += 1;
  return shared;
}

function isSame(a: Range, b: Range): boolean {
  return a === b || (a[0] === b[0] && a[1] === b[1]);
}

/** Characters of the text of the first `count` ranges. */
function textLength(ranges: readonly Range[], count: number): number {
  let length = Math.max(0, count - 1);
  for (let i = 0; i < count; i++) {
    const [from, to] = ranges[i]!;
    length += digitsOf(from) + (from === to ? 0 : 1 + digitsOf(to));
  }
  return length;
}

function digitsOf(place: number): number {
  let digits = 1;
  for (let power = 10; place >= power; power *= 10) digits += 1;
  return digits;
}

/** How a row has a list: what it stores itself, and what it leaves to an earlier row. */
interface ContinuedRow {
  /** Its own text. */
  text: string;
  from: number | null;
  /** Characters that it takes over. */
  length: number | null;
}

/** The text that the row adds to the first `need` characters, and what of them comes from the row before it. */
export function pieceOf({ text, from, length }: ContinuedRow, need: number): { piece: string; need: number } {
  if (from === null) return { piece: text.slice(0, need), need: 0 };
  const taken = length ?? 0;
  return { piece: need > taken ? text.slice(0, need - taken - 1) : '', need: Math.min(need, taken) };
}

/** The columns of a list, of the checkpoint with this alias. */
function columnsIn(list: ListName, alias: string) {
  const prefix = alias === '' ? '' : `${alias}.`;
  return { text: `${prefix}${list}`, from: `${prefix}${list}_from`, length: `${prefix}${list}_from_length` };
}

/** SQL: all ranges of a list of the checkpoint `alias`, whichever row stores them; NULL where one of those rows is gone. */
export function wholeListSql(list: ListName, alias: string): string {
  const { text, from, length } = columnsIn(list, alias);
  const beginning = beginningSql(list, { threadPk: `${alias}.thread_pk`, row: from, length });
  return `CASE WHEN ${from} IS NULL THEN ${text} ELSE ${beginning} || ',' || ${text} END`;
}

/** SQL: whether a list of the checkpoint `alias` continues from another row. */
export function isContinuedSql(alias: string): string {
  return `(${alias}.history_from IS NOT NULL OR ${alias}.history_meta_from IS NOT NULL)`;
}

/** A row of an import whose list continues from another row. */
export interface ContinuedListRow {
  seq: number;
  /** The row that it continues from; null if it names none. */
  before: number | null;
  /** Whether an earlier row has the beginning that it names, which ends where a range does. */
  has_beginning: boolean | number;
}

/** SQL: the rows of the thread `$1` after the number `$2` with such a list, in their order, up to `$3`. */
export function continuedListRowsSql(list: ListName): string {
  const [own, before] = [columnsIn(list, 'c'), columnsIn(list, 'b')];
  // The character behind the beginning: in the row, or in the one that the row continues from. A range ends there if it is a comma.
  const step = `CASE WHEN ${own.length} < ${before.length} THEN ${before.from} END,
    CASE WHEN ${before.from} IS NULL THEN substr(${before.text}, ${own.length} + 1, 1)
      WHEN ${own.length} >= ${before.length} THEN substr(',' || ${before.text}, ${own.length} - ${before.length} + 1, 1) END`;
  return `SELECT c.seq, ${own.from} AS before, (${own.text} <> '' AND ${own.length} > 0 AND EXISTS (
      WITH RECURSIVE chain(at, next, behind) AS (
        SELECT b.seq, ${step} FROM checkpoint b WHERE b.thread_pk = c.thread_pk AND b.seq = ${own.from} AND b.seq < c.seq
        UNION ALL
        SELECT b.seq, ${step} FROM chain CROSS JOIN checkpoint b
        WHERE b.thread_pk = c.thread_pk AND b.seq = chain.next AND b.seq < chain.at)
      SELECT 1 FROM chain WHERE behind = ',')) IS TRUE AS has_beginning
    FROM checkpoint c WHERE c.thread_pk = $1 AND c.seq > $2 AND (${own.from} IS NOT NULL OR ${own.length} IS NOT NULL)
    ORDER BY c.seq LIMIT $3`;
}

/**
 * SQL: the first `length` characters of the list of a row; NULL where it has fewer, or a row that has a part of them is gone. It walks from
 * row to row, the last one first.
 */
export function beginningSql(
  list: ListName,
  { threadPk, row, length }: { threadPk: string; row: string; length: string },
): string {
  const own = columnsIn(list, 'b');
  const step = (need: string) => `CASE WHEN ${own.from} IS NULL THEN substr(${own.text}, 1, ${need})
      WHEN ${need} > ${own.length} THEN substr(${own.text}, 1, ${need} - ${own.length} - 1) ELSE '' END,
    ${own.from}, CASE WHEN ${need} < ${own.length} THEN ${need} ELSE ${own.length} END`;
  return `(WITH RECURSIVE chain(depth, piece, next, need) AS (
    SELECT 1, ${step(length)} FROM checkpoint b WHERE b.thread_pk = ${threadPk} AND b.seq = ${row}
    UNION ALL
    SELECT chain.depth + 1, ${step('chain.need')}
    FROM chain CROSS JOIN checkpoint b WHERE b.thread_pk = ${threadPk} AND b.seq = chain.next)
    SELECT text FROM (SELECT string_agg(piece, ',') AS text FROM
      (SELECT piece FROM chain WHERE piece <> '' ORDER BY depth DESC) AS pieces) AS joined WHERE length(text) = ${length})`;
}
