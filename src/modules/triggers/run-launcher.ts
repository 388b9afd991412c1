export interface RunRequest {
  /** Name of the agent in the definition file. */
  agentName: string;
  message: string;
  /** Null opens a thread of its own. */
  threadId: string | null;
  /** Exact JSON of an object, handed to the program as it is; null for none. */
  context: string | null;
  source: 'webhook' | 'schedule' | 'invoke' | 'retry';
  /** The id that the run gets, needs `threadId`; absent for one that this process makes up. A known one means the run that has it. */
  runId?: string;
  /** The run to take up again, which has ended; absent for a new one. */
  retryOf?: string;
  /** The thread's last change before that was asked for: an end of the run behind it is the end of this retry. Null if nobody said. */
  retrySince?: number | null;
  /** The same key gets the same run, also after a restart; null for a request that is never repeated. */
  idempotencyKey: string | null;
  /** Tells the content of the request from that of others; absent if the same key means the same run whatever comes with it. */
  requestDigest?: string;
}

export interface LaunchedRun {
  /** The run's trace id. */
  runId: string;
  threadId: string;
  /** Settles when the run has ended, however it ended; also for a run that had ended before. */
  ended: Promise<void>;
}

/** The port through which webhooks, schedules and the API's dispatcher start runs. */
export abstract class RunLauncher {
  /**
   * Takes a run on, durably, and starts its program as soon as the agent's concurrency allows.
   * @throws DomainError `conflict`: `run_active` for a run to take up again that has not ended here, `run_id_taken` for an id that a run
   * of another agent or thread has; `unprocessable` (`idempotency_key_reused`) for a key that came with other content before; `rate_limited` (`queue_full`) when too many runs of the agent wait already, `unavailable` during shutdown
   */
  abstract launch(request: RunRequest): Promise<LaunchedRun>;

  /** Settles when the run of this id has ended, however it ended; at once for one that had ended before or is not known. */
  abstract whenEnded(runId: string): Promise<void>;

  /** How many runs of an agent are running or waiting. */
  abstract activeRuns(agentName: string): number;
}
