/** Waiting runs of an agent that one heartbeat names: the first in its queue. */
export const MAX_QUEUED_RUNS = 1_000;

/** `new`: its program was never started. `recovered`: it was, and the process ended meanwhile. `retry`: a person asked for it again, and its program was not started since. */
export const QUEUED_RUN_KINDS = ['new', 'recovered', 'retry'] as const;
export type QueuedRunKind = (typeof QUEUED_RUN_KINDS)[number];

/** A run that waits in its agent's process, as heartbeats name it. */
export interface QueuedRun {
  thread_id: string;
  trace_id: string;
  /** When the process accepted it, ISO 8601. The start of the run says the same. */
  queued_at: string;
  /** Absent in the heartbeats of older processes. */
  kind?: QueuedRunKind;
}
