import type { LaunchedRun } from '../../run-launcher.js';

/** The answer to who has started a run. */
export class RunStartedDto {
  /** The run's trace id. */
  run_id: string;

  status: 'started';

  static from({ runId }: LaunchedRun): RunStartedDto {
    return { run_id: runId, status: 'started' };
  }
}
