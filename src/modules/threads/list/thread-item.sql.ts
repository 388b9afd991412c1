import type { Database } from '../../../database/database.js';
import { sqlTuple } from '../../../database/sql-literal.js';
import {
  LONG_COLUMNS,
  SHOWN_COLUMNS,
  SHOWN_DOUBLES,
  type PackedCheckpoint,
} from '../checkpoints/checkpoint-columns.js';
import { listsOfPages } from '../checkpoints/list-columns.js';
import { PackedColumns, type LongRow } from '../checkpoints/packed-columns.js';
import type { ThreadFlagsService } from '../flags/thread-flags.service.js';
import type { ThreadItemRow } from './thread-item.json.js';

/** The columns of an item, from the latest checkpoint `c`, its run `r` and the thread `t`; `updated_at` is the thread's. */
const KEY = ['thread_pk', 'thread_id', 'agents'] as const;
const COLUMNS = new PackedColumns<ThreadItemRow, (typeof KEY)[number]>(
  {
    ...SHOWN_COLUMNS,
    thread_pk: 't.pk',
    thread_id: 't.id',
    trace_id: 'r.trace_id',
    parent_trace_id: 'r.parent_trace_id',
    agents: 't.agents',
    run_count: 't.run_count',
    last_message: 't.last_message',
    pending_approvals: 't.pending_approvals',
    total_tokens: 't.total_tokens',
    started_at: 't.started_at',
    paused_ms: 't.paused_ms',
    updated_at: 't.updated_at',
  },
  KEY,
  LONG_COLUMNS,
  listsOfPages('c'),
);
const DOUBLES = `${SHOWN_DOUBLES}, t.total_cost_usd`;

/** SQLite follows the order of a CROSS JOIN: first the threads, then the one checkpoint and run of each. */
const JOIN = 'CROSS JOIN checkpoint c CROSS JOIN run r';
const MATCH = 'c.thread_pk = t.pk AND c.seq = t.latest_seq AND r.thread_pk = c.thread_pk AND r.run_no = c.run_no';

export interface PackedItem extends PackedCheckpoint {
  total_cost_usd: number;
}

type FlagsSql = Pick<ThreadFlagsService, 'columns'>;

/** A page of the list: a statement that selects `pk` and `place`, sorted by these. */
export interface PageSql {
  statement: string;
  way: 'ASC' | 'DESC';
  /** The parameter after the statement's own: threads last heard of before this time are silent. */
  sinceMs: string;
}

/** Parameters are numbered by first use, so the time follows the statement. */
function fromPage({ statement, sinceMs }: PageSql): string {
  return `(${statement}) AS page CROSS JOIN (SELECT CAST(${sinceMs} AS bigint) AS ms) AS silence CROSS JOIN thread t`;
}

function inOrder({ way }: PageSql): string {
  return `ORDER BY page.place ${way}, page.pk ${way}`;
}

/** Selects the items of a page with their flags. */
export function itemsSql(dialect: Database['dialect'], page: PageSql, flags: FlagsSql): string {
  return `SELECT page.place, ${COLUMNS.sql(dialect)}, ${DOUBLES}, ${flags.columns('silence.ms')} FROM ${fromPage(page)} ${JOIN}
    WHERE t.pk = page.pk AND ${MATCH} ${inOrder(page)}`;
}

/**
 * SQL for an item's version: every change of an item sets the thread's change number. PostgreSQL also needs the time: after a restore or a
 * failover a transaction may reuse a number.
 */
function versionSql(dialect: Database['dialect']): string {
  return `${dialect === 'sqlite' ? 't.change_no' : `t.change_no || '.' || t.updated_at`} AS version`;
}

/** Selects only the page's threads, with their items' versions. */
export function placesSql(dialect: Database['dialect'], page: PageSql, flags: FlagsSql): string {
  return `SELECT page.pk AS thread_pk, page.place, ${versionSql(dialect)}, ${flags.columns('silence.ms')} FROM ${fromPage(page)}
    WHERE t.pk = page.pk ${inOrder(page)}`;
}

/**
 * Selects a single item of any length with `last_seq` and the flags: of the thread whose `id` or `pk` is `$2`. Its row needs no unpacking.
 * Threads last heard of before `$1` are silent.
 */
export function itemSql(column: 'id' | 'pk', flags: FlagsSql): string {
  return `SELECT ${COLUMNS.wholeSql()}, ${DOUBLES}, t.last_seq, ${flags.columns('$1')} FROM thread t ${JOIN} WHERE t.${column} = $2 AND ${MATCH}`;
}

/** Selects these threads' items in any order, with their flags and what filters use. `$1` as in `itemSql`. */
export function itemsOfSql(dialect: Database['dialect'], pks: readonly number[], flags: FlagsSql): string {
  return `SELECT ${COLUMNS.sql(dialect)}, ${DOUBLES}, t.last_seq, ${versionSql(dialect)}, t.status AS thread_status, t.model AS thread_model,
    ${flags.columns('$1')} FROM thread t ${JOIN} WHERE t.pk IN ${sqlTuple(pks)} AND ${MATCH}`;
}

export type LongItem = LongRow<ThreadItemRow, (typeof KEY)[number]>;

export function unpackItem<Row extends PackedItem>(row: Row): (ThreadItemRow | LongItem) & Omit<Row, 'packed'> {
  return COLUMNS.unpack(row);
}
