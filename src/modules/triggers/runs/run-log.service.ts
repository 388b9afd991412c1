import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import type { OutgoingEvent } from '../../../client/spool.js';
import type { TriggerRun } from './trigger-run.entity.js';
import { Reporter } from '../reporter/reporter.service.js';
import type { RunOutcome } from './run-outcome.js';
import { RunsRepository, type RunChange } from './runs.repository.js';

/** Writes down what becomes of runs, together with the reports of it: both are durable, or neither. */
@Injectable()
export class RunLog {
  constructor(
    private readonly repository: RunsRepository,
    private readonly reporter: Reporter,
    private readonly clock: Clock,
  ) {}

  async write(runId: string, change: RunChange, events: readonly OutgoingEvent[] = []): Promise<void> {
    await this.reporter.spool(events, async (session) => {
      if (Object.keys(change).length > 0) await this.repository.change(session, runId, change);
    });
  }

  /** The program is about to be started. */
  started(run: TriggerRun, hasToken: boolean, event: OutgoingEvent): Promise<void> {
    const change: RunChange = {
      state: 'running',
      attempt: run.attempt + 1,
      had_token: run.had_token || hasToken,
      started_at: this.clock.nowMs(),
    };
    return this.write(run.run_id, change, [event]);
  }

  /** The program has ended; what it left unreported is still to be reported. */
  finishing(runId: string, outcome: RunOutcome): Promise<void> {
    const gone = { process_group: null, process_start: null };
    return this.write(runId, { ...gone, state: 'finishing', outcome: JSON.stringify(outcome) });
  }

  /** Everything about the run is said. */
  async ended(runId: string, events: readonly OutgoingEvent[]): Promise<void> {
    await this.reporter.spool(events, (session) => this.repository.end(session, runId, this.clock.nowMs()));
  }
}
