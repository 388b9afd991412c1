import type { Checkpoint } from '../entities/checkpoint.entity.js';
import { listsOfPages, deltas } from './list-columns.js';
import { PackedColumns, type LongRow } from './packed-columns.js';

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

const KEY = [
  ...(['seq', 'run_no', 'attempt', 'step_index', 'is_initial', 'agent_id', 'tokens_used', 'created_at'] as const),
];

/** All but the cost, which is a double. The lists count as long texts: a long edited history has many ranges. */
export const REPORT_COLUMNS = new PackedColumns<ReportRow, (typeof KEY)[number]>(
  {
    seq: 'seq',
    run_no: 'run_no',
    attempt: 'attempt',
    step_index: 'step_index',
    is_initial: 'is_initial',
    agent_id: 'agent_id',
    tokens_used: 'tokens_used',
    ...deltas('checkpoint'),
    created_at: 'created_at',
  },
  KEY,
  ['history', 'history_meta'],
  listsOfPages('checkpoint'),
);

/** A report with long lists, which a page leaves out. */
export type LongReport = LongRow<ReportRow, (typeof KEY)[number]> & Pick<ReportRow, 'run_cost_usd'>;
