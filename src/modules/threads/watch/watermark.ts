import type { Database } from '../../../database/database.js';

/**
 * What was committed at one moment. SQLite commits in number order: the last number. PostgreSQL: a snapshot, which also lists transactions
 * in progress, after the ids of the database and of a table, because transaction numbers mean nothing elsewhere.
 */
export type Watermark = string;

/** A change's place in the global order: its number, its thread, its number within the thread. */
export type ChangePlace = readonly [changeNo: number, threadPk: number, seq: number];

export interface Position {
  /** The reader knows what was committed then; null for nothing. */
  from: Watermark | null;
  /** The reader also knows what was committed by `until`, up to the place `after`; null if it has not begun. */
  walk: { until: Watermark; after: ChangePlace } | null;
}

/** The changes committed by `until` but not by `from`, after the place. */
export interface Walk {
  from: Watermark | null;
  until: Watermark;
  after: ChangePlace | null;
}

interface Snapshot {
  xmin: number;
  xmax: number;
  /** In PostgreSQL's format. */
  text: string;
}

const NOTHING = '0';
const PLACE = /^(\d{1,16})\.(\d{1,10})\.(\d{1,10})$/;
const NUMBER = /^[1-9]\d{0,15}$/;
const POSTGRES = /^(\d{1,10}\.\d{1,10})-(\d{1,16}):(\d{1,16}):([\d,]{0,4000})$/;
/** With more transactions in progress, those that began after the oldest count as unknown: some changes are told twice. */
const MAX_LENGTH = 1500;
const MAX_INT32 = 2_147_483_647;

/** SELECT of the current watermark, as `mark`. */
export function watermarkSql(dialect: Database['dialect'], lastChange: string): string {
  if (dialect === 'sqlite') return `SELECT CAST(${lastChange} AS TEXT) AS mark`;
  return `SELECT d.oid || '.' || 'thread'::regclass::oid || '-' || pg_current_snapshot() AS mark
    FROM pg_database d WHERE d.datname = current_database()`;
}

/** The watermark, short enough for a header. */
export function shortened(mark: Watermark): Watermark {
  if (mark.length <= MAX_LENGTH) return mark;
  const [, home, xmin] = POSTGRES.exec(mark) ?? [];
  return `${home}-${xmin}:${xmin}:`;
}

export function formatPosition({ from, walk }: Position): string {
  if (!walk) return from ?? NOTHING;
  return `${from ?? NOTHING}~${walk.until}~${walk.after.join('.')}`;
}

/** Null if the text is no event id. */
export function parsePosition(text: string): Position | null {
  const [from, until, after, ...rest] = text.split('~');
  if (from === undefined || rest.length > 0 || !(from === NOTHING || isWatermark(from))) return null;
  const position = { from: from === NOTHING ? null : from };
  if (until === undefined) return { ...position, walk: null };
  const place = after === undefined ? null : placeIn(after);
  return place && isWatermark(until) ? { ...position, walk: { until, after: place } } : null;
}

/**
 * The position in the storage of `now`. A position that the storage has not reached, or from another storage such as before a move, counts
 * as nothing known.
 */
export function positionIn(now: Watermark, position: Position): Position {
  const marks = [position.from, position.walk?.until ?? null].filter((mark) => mark !== null);
  return marks.every((mark) => isReached(mark, now)) ? position : { from: null, walk: null };
}

/** The walk that a reader at the position is on, or begins now. */
export function walkFrom({ from, walk }: Position, until: Watermark): Walk {
  return walk ? { from, ...walk } : { from, until, after: null };
}

/** The position of a reader that knows a walk's changes up to this place; null for all of them. */
export function positionOn({ from, until }: Walk, after: ChangePlace | null): Position {
  return after ? { from, walk: { until, after } } : { from: until, walk: null };
}

/** Conditions for the changes of a walk. */
export function changesOn(
  dialect: Database['dialect'],
  { from, until, after }: Walk,
  [changeNo, pk, seq]: readonly [string, string, string],
): string {
  const behind = after ? [`(${changeNo}, ${pk}, ${seq}) > (${after.join(', ')})`] : [];
  const range = dialect === 'sqlite' ? numbered(changeNo, from, until) : visible(changeNo, from, until);
  return [...range, ...behind].join(' AND ');
}

function numbered(column: string, from: Watermark | null, until: Watermark): string[] {
  return [...(from === null ? [] : [`${column} > ${from}`]), `${column} <= ${until}`];
}

/** A transaction that a snapshot shows is committed and has been visible since. */
function visible(column: string, from: Watermark | null, until: Watermark): string[] {
  const isIn = ({ text }: Snapshot) => `pg_visible_in_snapshot(${column}::text::xid8, '${text}')`;
  const end = snapshotOf(until);
  // A number not yet reached comes from the storage that this one was copied from.
  if (from === null) return [`(${column} >= ${end.xmax} OR ${isIn(end)})`];
  const start = snapshotOf(from);
  return [`${column} >= ${start.xmin}`, `${column} < ${end.xmax}`, `NOT ${isIn(start)}`, isIn(end)];
}

function isReached(mark: Watermark, now: Watermark): boolean {
  const [there, here] = [POSTGRES.exec(mark), POSTGRES.exec(now)];
  if (there && here) return there[1] === here[1] && Number(there[3]) <= Number(here[3]);
  return !there && !here && Number(mark) <= Number(now);
}

function snapshotOf(mark: Watermark): Snapshot {
  const [, , xmin, xmax, running] = POSTGRES.exec(mark)!;
  return { xmin: Number(xmin), xmax: Number(xmax), text: `${xmin}:${xmax}:${running}` };
}

function isWatermark(text: string): boolean {
  if (NUMBER.test(text)) return Number.isSafeInteger(Number(text));
  const [, home, xmin, xmax, running] = POSTGRES.exec(text) ?? [];
  if (home === undefined) return false;
  // PostgreSQL rejects other snapshots.
  const ids = [xmin, ...(running ? running.split(',') : [])].map(Number);
  const isRising = ids.every((id, at) => at < 2 || id > ids[at - 1]!) && Math.min(...ids) === ids[0];
  const end = Number(xmax);
  return ids[0]! > 0 && end >= ids[0]! && isRising && ids.slice(1).every((id) => id < end) && Number.isSafeInteger(end);
}

function placeIn(text: string): ChangePlace | null {
  const [, ...parts] = PLACE.exec(text) ?? [];
  const [changeNo, pk, seq] = parts.map(Number);
  if (changeNo === undefined || !Number.isSafeInteger(changeNo) || pk! > MAX_INT32 || seq! > MAX_INT32) return null;
  return [changeNo, pk!, seq!];
}
