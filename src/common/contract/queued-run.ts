/** Waiting runs of an agent that one heartbeat names: the first in its queue. */
export const MAX_QUEUED_RUNS = 1_000;

/** A run that waits in its agent's process, as heartbeats name it. */
export interface QueuedRun {
  thread_id: string;
  trace_id: string;
  /** When the process accepted it, ISO 8601. The start of the run says the same. */
  queued_at: string;
}
