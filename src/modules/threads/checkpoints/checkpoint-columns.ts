import type { Database } from '../../../database/database.js';
import type { CheckpointRecord } from './checkpoint.json.js';
import { PackedColumns } from './packed-columns.js';

/** What readers need of a checkpoint `c`, its run `r` and its thread `t`. */
const COLUMNS = new PackedColumns<CheckpointRecord>({
  thread_pk: 'c.thread_pk',
  seq: 'c.seq',
  run_no: 'c.run_no',
  attempt: 'c.attempt',
  step_index: 'c.step_index',
  is_initial: 'c.is_initial',
  status: 'c.status',
  agent_id: 'c.agent_id',
  model: 'c.model',
  tokens_used: 'c.tokens_used',
  input_tokens: 'c.input_tokens',
  output_tokens: 'c.output_tokens',
  turn_start_history_len: 'c.turn_start_history_len',
  budget_warning: 'c.budget_warning',
  history: 'c.history',
  history_length: 'c.history_length',
  history_meta: 'c.history_meta',
  pending_tool_calls: 'c.pending_tool_calls',
  extra: 'c.extra',
  error: 'c.error',
  approval: 'c.approval',
  rev: 'c.rev',
  created_at: 'c.created_at',
  updated_at: 'c.updated_at',
  thread_id: 't.id',
  trace_id: 'r.trace_id',
  parent_trace_id: 'r.parent_trace_id',
});

/** A checkpoint on its way out of the database. */
export interface PackedCheckpoint {
  packed: string;
  run_cost_usd: number;
  budget_usd: number;
}

/** The tables of a checkpoint, in the order in which they are looked up; SQLite keeps to it. */
export const CHECKPOINT_TABLES = 'checkpoint c CROSS JOIN thread t CROSS JOIN run r';
export const CHECKPOINT_MATCH = 't.pk = c.thread_pk AND r.thread_pk = c.thread_pk AND r.run_no = c.run_no';

export function checkpointColumns(dialect: Database['dialect']): string {
  return `${COLUMNS.sql(dialect)}, c.run_cost_usd, c.budget_usd`;
}

export function unpackCheckpoint<Row extends PackedCheckpoint>(row: Row): CheckpointRecord & Omit<Row, 'packed'> {
  return COLUMNS.unpack(row);
}
