/** Limit of an agent's waiting runs in a heartbeat; the first in its queue. */
export const MAX_QUEUED_RUNS = 1_000;

/**
 * `new`: its program was never started. `recovered`: it was, and the process ended meanwhile. `retry`: a person requested a retry that has
 * not started.
 */
export const QUEUED_RUN_KINDS = ['new', 'recovered', 'retry'] as const;
export type QueuedRunKind = (typeof QUEUED_RUN_KINDS)[number];

/** A run queued in its agent's process, as in heartbeats. */
export interface QueuedRun {
  thread_id: string;
  trace_id: string;
  /** When the process accepted it, ISO 8601. The run's start event has the same time. */
  queued_at: string;
  /** Absent in the heartbeats of older processes. */
  kind?: QueuedRunKind;
}
