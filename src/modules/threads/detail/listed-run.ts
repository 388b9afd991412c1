import type { Run } from '../entities/run.entity.js';

/** Bytes of an error up to which a page includes it. */
const SHORT_BYTES = 4 * 1024;

const COLUMNS = [
  ...(['run_no', 'trace_id', 'parent_trace_id', 'agent_id', 'status', 'attempt', 'ending', 'started_at'] as const),
  ...(['attempt_started_at', 'retry', 'updated_at'] as const),
] as const;

export interface ListedRun extends Pick<Run, (typeof COLUMNS)[number] | 'error'> {
  /** The error was left out because of its length: read it separately. */
  is_long: boolean;
}

const IS_LONG = `COALESCE(octet_length(error), 0) > ${SHORT_BYTES}`;

export const LISTED_RUN_COLUMNS = `${COLUMNS.join(', ')}, ${IS_LONG} AS is_long, CASE WHEN ${IS_LONG} THEN NULL ELSE error END AS error`;

/** Selects the error of the run `$2` of the thread `$1`. */
export const ERROR_OF_RUN = `SELECT error FROM run WHERE thread_pk = $1 AND run_no = $2`;
