import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import type { OutgoingEvent } from '../../../client/spool.js';
import type { Stamp } from '../../../client/event-stamp.js';
import type { TriggerRun } from './trigger-run.entity.js';
import { Reporter } from '../reporter/reporter.service.js';
import { RunsRepository, type RunChange } from './runs.repository.js';

/** A report about a run, not yet numbered. */
export interface RunEvent {
  type: string;
  /** JSON text, sent exactly as it is. */
  dataText: string;
  stamp?: Stamp;
}

const NO_PROCESS: RunChange = { process_group: null, process_start: null };

/** Stores state changes of runs together with their reports: both are durable, or neither. */
@Injectable()
export class RunLog {
  constructor(
    private readonly repository: RunsRepository,
    private readonly reporter: Reporter,
    private readonly clock: Clock,
  ) {}

  async write(run: TriggerRun, change: RunChange, events: readonly RunEvent[] = []): Promise<void> {
    await this.reporter.spool(this.stamped(run, events), async (session) => {
      if (Object.keys(change).length > 0) await this.repository.change(session, run.run_id, change);
    });
  }

  /**
   * The run's lease is about to be claimed under this name. If this process is killed, the next one claims the lease under the same
   * name and so gets the fence that the API may have granted.
   */
  async claiming(run: TriggerRun, holder: string): Promise<void> {
    run.holder ??= holder;
    await this.leased(run);
  }

  /** Stores the fence under which this process drives the run. */
  leased(run: TriggerRun): Promise<void> {
    return this.write(run, leaseOf(run));
  }

  /** The program is not running and will be started again. */
  left(run: TriggerRun): Promise<void> {
    return this.write(run, { ...NO_PROCESS, ...leaseOf(run) });
  }

  /** The program is about to be started. */
  started(run: TriggerRun, hasToken: boolean, event: RunEvent): Promise<void> {
    const change: RunChange = {
      state: 'running',
      attempt: run.attempt + 1,
      had_token: run.had_token || hasToken,
      started_at: this.clock.nowMs(),
      ...leaseOf(run),
    };
    return this.write(run, change, [event]);
  }

  /** The program has ended; its unreported output is still to be reported. */
  finishing(run: TriggerRun, outcome: RunOutcome): Promise<void> {
    return this.write(run, { ...NO_PROCESS, state: 'finishing', outcome: JSON.stringify(outcome), ...leaseOf(run) });
  }

  /** Another process has the run; this one reports nothing more about it. */
  async takenOver(run: TriggerRun): Promise<void> {
    await this.reporter.spool([], async (session) => {
      await this.repository.end(session, run.run_id, this.clock.nowMs());
      await this.repository.change(session, run.run_id, { fence: null, holder: null });
    });
  }

  /** Everything about the run has been reported. */
  async ended(run: TriggerRun, events: readonly RunEvent[]): Promise<void> {
    await this.reporter.spool(this.stamped(run, events), (session) =>
      this.repository.end(session, run.run_id, this.clock.nowMs()),
    );
  }

  private stamped(run: TriggerRun, events: readonly RunEvent[]): OutgoingEvent[] {
    const { thread_id: threadId, fence } = run;
    return events.map(({ type, dataText, stamp }) =>
      this.reporter.event(threadId, type, dataText, { ...stamp, fence }),
    );
  }
}

/** Both belong together: the name is valid for this fence only. */
function leaseOf({ fence, holder }: TriggerRun): RunChange {
  return { fence, holder };
}

/** How a run's program ended; kept until it is reported. */
export type RunOutcome = (
  | { kind: 'completed'; answer: string }
  | { kind: 'failed'; error: RunError }
  | { kind: 'budget_exceeded' }
  /** The API had the end before the program ended. */
  | { kind: 'cancelled' }
) & {
  /** The run's limit in US dollars, null for none. Absent if its program was not started: then the definition file's applies. */
  budgetUsd?: number | null;
};

/** The error in `thread_error`. */
export interface RunError {
  message: string;
  exit_code: number | null;
  signal: string | null;
  /** The end of standard error. */
  stderr: string;
}

export function failedBefore(message: string): RunOutcome {
  return { kind: 'failed', error: { message, exit_code: null, signal: null, stderr: '' } };
}
