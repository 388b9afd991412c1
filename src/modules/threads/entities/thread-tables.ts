/** Tables that may have many rows of one thread, with the key of a row within the thread. Readers look into them only for threads that are there. */
export const LARGE_THREAD_TABLES = [
  { table: 'message', keys: 'list, seq' },
  { table: 'checkpoint', keys: 'seq' },
  { table: 'thread_event', keys: 'seq' },
  { table: 'seen_event', keys: 'digest' },
  { table: 'run', keys: 'run_no' },
  { table: 'run_lease', keys: 'trace_id, lease_no' },
] as const;

/** Small tables below a thread, whose rows must come and go in the same transaction as the thread's own row. */
export const SMALL_THREAD_TABLES = ['thread_agent'] as const;
