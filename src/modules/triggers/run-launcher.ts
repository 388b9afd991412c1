export interface RunRequest {
  /** Name of the agent in the definition file. */
  agentName: string;
  message: string;
  /** Null for a new thread. */
  threadId: string | null;
  /** Exact JSON of an object, passed to the program unchanged; null for none. */
  context: string | null;
  source: 'webhook' | 'schedule' | 'invoke' | 'retry';
  /** The run's id, requires `threadId`; absent to generate one. A known id means its run. */
  runId?: string;
  /** The ended run to resume; absent for a new one. */
  retryOf?: string;
  /** The thread's last change before the retry request: a later end of the run is the retry's. Null if not given. */
  retrySince?: number | null;
  /** The same key gets the same run, even after a restart; null for a request that is never repeated. */
  idempotencyKey: string | null;
  /** Digest of the request's content; absent if the same key means the same run whatever its content. */
  requestDigest?: string;
}

export interface LaunchedRun {
  /** The run's trace id. */
  runId: string;
  threadId: string;
  /** Resolves when the run has ended in any way; also for one that had ended before. */
  ended: Promise<void>;
}

/** The port through which webhooks, schedules and the API's dispatcher start runs. */
export abstract class RunLauncher {
  /**
   * Accepts a run durably and starts its program as soon as the agent's concurrency allows.
   * @throws DomainError `conflict`: `run_active` if the run to resume has not ended here, `run_id_taken` if another agent's or thread's run
   * has the id; `unprocessable` (`idempotency_key_reused`) if the key came with other content before; `rate_limited` (`queue_full`) if too
   * many runs of the agent wait; `unavailable` during shutdown
   */
  abstract launch(request: RunRequest): Promise<LaunchedRun>;

  /** Resolves when the run with this id has ended in any way; at once if it is unknown. */
  abstract whenEnded(runId: string): Promise<void>;

  abstract activeRuns(agentName: string): number;

  /** The definition file has changed: runs that still wait start as it says now. */
  definitionChanged(): void {}
}
