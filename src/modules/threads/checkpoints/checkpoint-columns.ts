import { fieldsOfKind, type FieldsOfKind } from '../../../common/contract/checkpoint-fields.js';
import type { Database } from '../../../database/database.js';
import type { Checkpoint } from '../entities/checkpoint.entity.js';
import type { CheckpointRecord } from './checkpoint.json.js';
import { listsOfPages, deltas } from './list-columns.js';
import { PackedColumns, type LongRow } from './packed-columns.js';

/** Doubles are not packed. */
const DOUBLES = fieldsOfKind('amount');
type Doubles = Pick<Checkpoint, FieldsOfKind<'amount'>>;

/** The columns of a checkpoint `c` that every response shows, without doubles. */
export const SHOWN_COLUMNS = {
  ...columnsOf([
    ...(['agent_id', 'step_index', 'status'] as const),
    ...fieldsOfKind('count', 'text', 'flag', 'list'),
    ...(['history', 'history_length', 'history_meta', 'extra', 'error', 'approval'] as const),
  ]),
  ...deltas('c'),
};
export const SHOWN_DOUBLES = DOUBLES.map((name) => `c.${name}`).join(', ');

/** Columns that agents may fill with long texts. */
export const LONG_COLUMNS = [
  ...fieldsOfKind('text', 'list'),
  ...(['history', 'history_meta', 'extra', 'error', 'approval'] as const),
];
const KEY = ['thread_pk', 'seq', 'run_no', 'attempt', 'step_index', 'agent_id'] as const;

/** The columns that readers need of a checkpoint `c`, its run `r` and its thread `t`. */
const COLUMNS = new PackedColumns<CheckpointRecord, (typeof KEY)[number]>(
  {
    ...SHOWN_COLUMNS,
    ...columnsOf([
      'thread_pk',
      'seq',
      'run_no',
      'attempt',
      'is_initial',
      'event_id',
      'rev',
      'created_at',
      'updated_at',
    ]),
    thread_id: 't.id',
    trace_id: 'r.trace_id',
    parent_trace_id: 'r.parent_trace_id',
  },
  KEY,
  LONG_COLUMNS,
  listsOfPages('c'),
);

/** A checkpoint with long texts, of which a page has only the key. */
export type LongCheckpoint = LongRow<CheckpointRecord, (typeof KEY)[number]>;

export interface PackedCheckpoint extends Doubles {
  packed: string;
}

/** The tables of a checkpoint; SQLite follows this join order. */
export const CHECKPOINT_TABLES = 'checkpoint c CROSS JOIN thread t CROSS JOIN run r';
export const CHECKPOINT_MATCH = 't.pk = c.thread_pk AND r.thread_pk = c.thread_pk AND r.run_no = c.run_no';

export function checkpointColumns(dialect: Database['dialect']): string {
  return `${COLUMNS.sql(dialect)}, ${SHOWN_DOUBLES}`;
}

/** For a single checkpoint of any length; its row needs no unpacking. */
export function wholeCheckpointColumns(): string {
  return `${COLUMNS.wholeSql()}, ${SHOWN_DOUBLES}`;
}

/** Selects the checkpoint with the number `$2` in the thread `$1`, whatever its length. */
export function wholeCheckpointSql(): string {
  return `SELECT ${wholeCheckpointColumns()} FROM ${CHECKPOINT_TABLES}
    WHERE c.thread_pk = $1 AND c.seq = $2 AND ${CHECKPOINT_MATCH}`;
}

export function unpackCheckpoint(row: PackedCheckpoint): CheckpointRecord | LongCheckpoint {
  return COLUMNS.unpack(row);
}

function columnsOf<Name extends keyof Checkpoint>(names: readonly Name[]): Record<Name, string> {
  return Object.fromEntries(names.map((name) => [name, `c.${name}`])) as Record<Name, string>;
}
