const CHECKPOINT_BYTES =
  'octet_length(history) + octet_length(history_meta) + COALESCE(octet_length(extra), 0) + COALESCE(octet_length(pending_tool_calls), 0)';

/** Tables that may have many rows of one thread, with a row's key within the thread. Readers use them only for existing threads. */
export const LARGE_THREAD_TABLES = [
  { table: 'message', keys: 'list, seq', bytes: 'octet_length(body)' },
  { table: 'checkpoint', keys: 'seq', bytes: CHECKPOINT_BYTES },
  { table: 'thread_event', keys: 'seq', bytes: `COALESCE(octet_length(data), 0)` },
  { table: 'seen_event', keys: 'digest' },
  { table: 'run', keys: 'run_no' },
  { table: 'run_lease', keys: 'trace_id, lease_no' },
] as const;

/** Small tables whose rows must come and go in the same transaction as the thread's row. */
export const SMALL_THREAD_TABLES = ['thread_agent'] as const;
