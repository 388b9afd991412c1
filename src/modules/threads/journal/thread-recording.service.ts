import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../common/domain-error.js';
import type { RunOfToken } from '../../../common/principal.js';
import type { TextList } from '../../../common/text-list.js';
import { Reporter } from '../bindings/reporter.js';
import { ServerThreadsService } from '../bindings/server-threads.service.js';
import type { ReportedEvent } from '../threads.contract.js';
import {
  LoadsTooMuchError,
  RecordingJob,
  type CancelledRun,
  type Recording,
  type WorkBeside,
} from './recording/recording-job.js';
import { ThreadJournal } from './thread-journal.service.js';
import { runsOfTrace } from './rules/thread-state.js';

export type { CancelledRun, WorkBeside };

export interface RecordingOptions {
  bytes: number;
  /** The agents that the reporter may speak for; null for all. */
  allowedAgents: readonly string[] | null;
  /** The only run that the token is for, with its sub-runs; null for any. */
  ownRun: RunOfToken | null;
  /** Absent for none. */
  beside?: WorkBeside | null;
}

const NONE: ReadonlySet<string> = new Set();

@Injectable()
export class ThreadRecordingService {
  constructor(
    private readonly journal: ThreadJournal,
    private readonly serverThreads: ServerThreadsService,
  ) {}

  /**
   * Stores the events in order and resolves when they are durable.
   * @throws DomainError `unavailable`, `storage_full` or `too_large`; then none was stored
   */
  async record(
    events: readonly ReportedEvent[],
    { bytes, ownRun, allowedAgents, beside = null }: RecordingOptions,
  ): Promise<Recording> {
    const threadIds = [...new Set([...(beside?.threadIds ?? []), ...events.map(({ threadId }) => threadId)])];
    const reporter = new Reporter(allowedAgents);
    const closed = reporter.isBound ? await this.serverThreads.closedTo(reporter, threadIds) : NONE;
    const by = { reporter, closed, ownRun };
    const job = new RecordingJob(threadIds, events, by, bytes + (beside?.bytes ?? 0), beside);
    return this.journal.submit(job).catch((error: unknown) => {
      throw error instanceof LoadsTooMuchError ? batchLoadsTooMuch() : error;
    });
  }

  /** The lists that the run's next report will probably continue, if they are in memory. Only a hint. */
  knownLists(
    threadId: string,
    traceId: string | null,
  ): { history: TextList | null; historyMeta: TextList | null } | null {
    const state = this.journal.rememberedForNow(threadId);
    if (!state) return null;
    const run = traceId === null ? null : runsOfTrace(state.runs, traceId)[0];
    const known = run ?? state.runs.get(state.row.current_run);
    return known ? { history: known.history.list, historyMeta: known.meta.list } : null;
  }
}

function batchLoadsTooMuch(): DomainError {
  const message =
    'The last checkpoints of these threads are too large together. Send the events in several batches, each of fewer threads.';
  return new DomainError('too_large', 'batch_loads_too_much', message);
}
