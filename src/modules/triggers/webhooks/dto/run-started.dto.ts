import type { LaunchedRun } from '../../run-launcher.js';

export class RunStartedDto {
  /** The run's trace id. */
  run_id: string;

  /** The requested or new thread. */
  thread_id: string;

  status: 'started';

  static from({ runId, threadId }: LaunchedRun): RunStartedDto {
    return { run_id: runId, thread_id: threadId, status: 'started' };
  }
}
