import type { Checkpoint } from '../entities/checkpoint.entity.js';
import { PackedColumns } from './packed-columns.js';

/** The columns of a checkpoint that the logs and the list of runs need. */
export type ReportRow = Pick<
  Checkpoint,
  | 'seq'
  | 'run_no'
  | 'attempt'
  | 'step_index'
  | 'is_initial'
  | 'agent_id'
  | 'tokens_used'
  | 'run_cost_usd'
  | 'history'
  | 'history_meta'
  | 'created_at'
>;

/** All of it but the cost, which is a double. */
export const REPORT_COLUMNS = new PackedColumns<ReportRow>({
  seq: 'seq',
  run_no: 'run_no',
  attempt: 'attempt',
  step_index: 'step_index',
  is_initial: 'is_initial',
  agent_id: 'agent_id',
  tokens_used: 'tokens_used',
  history: 'history',
  history_meta: 'history_meta',
  created_at: 'created_at',
});
