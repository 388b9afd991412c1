import type { Checkpoint } from '../entities/checkpoint.entity.js';
import { formatRanges, type Range } from './ranges.js';

export type ListName = 'history' | 'history_meta';

/** Columns that say which rows a checkpoint's lists continue. */
export type Continuation = Pick<
  Checkpoint,
  'history_from' | 'history_from_length' | 'history_meta_from' | 'history_meta_from_length'
>;

/** A list, and a checkpoint of the thread whose list begins with these ranges; null if unknown. */
export interface ListInRow {
  readonly ranges: readonly Range[];
  readonly row: number | null;
}

/** A row continues another only if that saves this many characters: ordinary rows are whole. */
const MIN_SPARED_LENGTH = 4096;
/** Fewer ranges always have a shorter text. */
const MIN_RANGES = 128;
/**
 * One of this many rows, chosen at random, is whole anyway, so that chains stay short whichever row a reporter continues. With a fixed
 * limit, each report on a row at the limit would store all ranges.
 */
const ROWS_PER_WHOLE = 128;

/** How a row stores a list. @param before the list it is compared with */
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

/** The same row under another number: its long lists stay in the original. */
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

/** How many ranges both lists share at the start, except the last range of either: it may grow, and the row needs one of its own. */
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

/** A row's part of a list: what it stores itself, and what it leaves to an earlier row. */
interface ContinuedRow {
  /** Its own text. */
  text: string;
  from: number | null;
  /** Characters that it takes from that row. */
  length: number | null;
}

/** The text that the row adds to the first `need` characters, and how many of them come from the previous row. */
export function pieceOf({ text, from, length }: ContinuedRow, need: number): { piece: string; need: number } {
  if (from === null) return { piece: text.slice(0, need), need: 0 };
  const taken = length ?? 0;
  return { piece: need > taken ? text.slice(0, need - taken - 1) : '', need: Math.min(need, taken) };
}

function columnsIn(list: ListName, alias: string) {
  const prefix = alias === '' ? '' : `${alias}.`;
  return { text: `${prefix}${list}`, from: `${prefix}${list}_from`, length: `${prefix}${list}_from_length` };
}

/** SQL: all ranges of a list of the checkpoint `alias`, whichever rows store them; NULL if one of those rows is gone. */
export function wholeListSql(list: ListName, alias: string): string {
  const { text, from, length } = columnsIn(list, alias);
  const beginning = beginningSql(list, { threadPk: `${alias}.thread_pk`, row: from, length });
  return `CASE WHEN ${from} IS NULL THEN ${text} ELSE ${beginning} || ',' || ${text} END`;
}

/** SQL: whether a list of the checkpoint `alias` continues another row. */
export function isContinuedSql(alias: string): string {
  return `(${alias}.history_from IS NOT NULL OR ${alias}.history_meta_from IS NOT NULL)`;
}

/** An imported row whose list continues another row. */
export interface ContinuedListRow {
  seq: number;
  /** The row it continues; null if it names none. */
  before: number | null;
  /** Whether an earlier row has the named beginning, which must end at a range's end. */
  has_beginning: boolean | number;
}

/** SQL: up to `$3` rows of the thread `$1` with such a list after the number `$2`, in order. */
export function continuedListRowsSql(list: ListName): string {
  const [own, before] = [columnsIn(list, 'c'), columnsIn(list, 'b')];
  // The character after the beginning, from this row or the one it continues: a comma if a range ends there.
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
 * SQL: the first `length` characters of a row's list; NULL if it has fewer, or a row with a part of them is gone. Walks from row to row,
 * the last one first.
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
