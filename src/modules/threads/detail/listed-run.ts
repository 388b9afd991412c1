import type { Run } from '../entities/run.entity.js';

/** Bytes of an error up to which it comes with a page of runs. */
const SHORT_BYTES = 4 * 1024;

const COLUMNS = [
  ...(['run_no', 'trace_id', 'parent_trace_id', 'agent_id', 'status', 'attempt', 'ending', 'started_at'] as const),
  ...(['attempt_started_at', 'retry', 'updated_at'] as const),
] as const;

/** A run as the lists of runs show it. */
export interface ListedRun extends Pick<Run, (typeof COLUMNS)[number] | 'error'> {
  /** The error is so long that it was left out: read it by itself. */
  is_long: boolean;
}

const IS_LONG = `COALESCE(octet_length(error), 0) > ${SHORT_BYTES}`;

/** The columns of a `ListedRun`. */
export const LISTED_RUN_COLUMNS = `${COLUMNS.join(', ')}, ${IS_LONG} AS is_long, CASE WHEN ${IS_LONG} THEN NULL ELSE error END AS error`;

/** The statement for the error of the run `$2` of the thread `$1`. */
export const ERROR_OF_RUN = `SELECT error FROM run WHERE thread_pk = $1 AND run_no = $2`;
