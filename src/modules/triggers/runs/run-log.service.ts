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

/** Writes down what becomes of runs, together with the reports of it: both are durable, or neither. */
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
   * The lease of the run is about to be claimed, under this name. Whoever starts after this process was killed, wherever that was, claims the
   * lease under the name again, and so gets the fence that the API may have given.
   */
  async claiming(run: TriggerRun, holder: string): Promise<void> {
    run.holder ??= holder;
    await this.leased(run);
  }

  /** Keeps under which fence this process drives the run. */
  leased(run: TriggerRun): Promise<void> {
    return this.write(run, leaseOf(run));
  }

  /** The program is not at work, and is started another time. */
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

  /** The program has ended; what it left unreported is still to be reported. */
  finishing(run: TriggerRun, outcome: RunOutcome): Promise<void> {
    return this.write(run, { ...NO_PROCESS, state: 'finishing', outcome: JSON.stringify(outcome), ...leaseOf(run) });
  }

  /** Somebody else has the run: nothing more is said about it here. */
  async takenOver(run: TriggerRun): Promise<void> {
    await this.reporter.spool([], async (session) => {
      await this.repository.end(session, run.run_id, this.clock.nowMs());
      await this.repository.change(session, run.run_id, { fence: null, holder: null });
    });
  }

  /** Everything about the run is said. */
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

/** The two belong together: the name says nothing of any other fence. */
function leaseOf({ fence, holder }: TriggerRun): RunChange {
  return { fence, holder };
}

/** How the program of a run ended; kept until it is reported. */
export type RunOutcome =
  | { kind: 'completed'; answer: string }
  | { kind: 'failed'; error: RunError }
  | { kind: 'budget_exceeded' }
  /** The API had it before the program ended. */
  | { kind: 'cancelled' };

/** What `thread_error` tells. */
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
