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

/** An item as the database returns it. */
export interface PackedItem extends PackedCheckpoint {
  total_cost_usd: number;
}

/** The statement for the items of a page, which is a statement that selects `pk` and `place`. */
export function itemsSql(dialect: Database['dialect'], page: string, way: 'ASC' | 'DESC'): string {
  return `SELECT page.place, ${COLUMNS.sql(dialect)}, ${DOUBLES} FROM (${page}) AS page CROSS JOIN thread t ${JOIN}
    WHERE t.pk = page.pk AND ${MATCH} ORDER BY page.place ${way}, page.pk ${way}`;
}

/**
 * SQL for what tells the state of a thread's item from all others. Whatever changes an item sets the thread's number of the change. The
 * time is there for PostgreSQL alone: after a restore, or when a standby takes over, a transaction may get a number that was used before.
 */
function versionSql(dialect: Database['dialect']): string {
  return `${dialect === 'sqlite' ? 't.change_no' : `t.change_no || '.' || t.updated_at`} AS version`;
}

/** The statement for the threads of such a page alone, with the versions of their items. */
export function placesSql(dialect: Database['dialect'], page: string, way: 'ASC' | 'DESC'): string {
  return `SELECT page.pk, page.place, ${versionSql(dialect)} FROM (${page}) AS page CROSS JOIN thread t
    WHERE t.pk = page.pk ORDER BY page.place ${way}, page.pk ${way}`;
}

/** The statement for a single item, however long, with `last_seq`: of the thread whose `id` or `pk` is `$1`. Its row needs no unpacking. */
export function itemSql(column: 'id' | 'pk'): string {
  return `SELECT ${COLUMNS.wholeSql()}, ${DOUBLES}, t.last_seq FROM thread t ${JOIN} WHERE t.${column} = $1 AND ${MATCH}`;
}

/** The statement for the items of these threads, in any order, with what filters look at. */
export function itemsOfSql(dialect: Database['dialect'], pks: readonly number[]): string {
  return `SELECT ${COLUMNS.sql(dialect)}, ${DOUBLES}, t.last_seq, ${versionSql(dialect)}, t.status AS thread_status, t.model AS thread_model
    FROM thread t ${JOIN} WHERE t.pk IN ${sqlTuple(pks)} AND ${MATCH}`;
}

/** An item with long texts, as pages have it. */
export type LongItem = LongRow<ThreadItemRow, (typeof KEY)[number]>;

export function unpackItem<Row extends PackedItem>(row: Row): (ThreadItemRow | LongItem) & Omit<Row, 'packed'> {
  return COLUMNS.unpack(row);
}
