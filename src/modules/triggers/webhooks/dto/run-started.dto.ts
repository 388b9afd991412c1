import type { LaunchedRun } from '../../run-launcher.js';

/** The answer to who has started a run. */
export class RunStartedDto {
  /** The run's trace id. */
  run_id: string;

  /** The thread that was asked for, or that the run opens. */
  thread_id: string;

  status: 'started';

  static from({ runId, threadId }: LaunchedRun): RunStartedDto {
    return { run_id: runId, thread_id: threadId, status: 'started' };
  }
}
