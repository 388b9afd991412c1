import type { Checkpoint } from '../entities/checkpoint.entity.js';

/** What the logs and the list of runs need of a checkpoint. */
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
  | 'budget_usd'
  | 'history'
  | 'history_meta'
  | 'created_at'
>;
