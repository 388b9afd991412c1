import { DomainError } from '../../../../common/domain-error.js';
import type { RunOfToken } from '../../../../common/principal.js';
import { TimeSlices } from '../../../../common/time-slices.js';
import { Reporter } from '../../bindings/reporter.js';
import { cancelReasonOf } from '../../entities/cancel-reason.js';
import type { ReportedEvent } from '../../threads.contract.js';
import { EventApplier } from './event-applier.js';
import { seenDigestsOf, type SeenDigests } from '../rules/event-digests.js';
import type { JournalJob } from '../queue/job-queue.js';
import type { UnitOfWork } from '../store/unit-of-work.js';

/** An event that the rules refused; nothing of it was stored. */
export interface RefusedEvent {
  position: number;
  error: DomainError;
}

/** A run that its program must stop. */
export interface CancelledRun {
  threadId: string;
  traceId: string;
  reason: string | null;
}

export interface Recording {
  refused: RefusedEvent[];
  /** Cancelled runs of the batch's events, and their cancelled callers. */
  cancelled: CancelledRun[];
}

export interface BatchReporter {
  reporter: Reporter;
  /** The threads in which it may not begin runs. */
  closed: ReadonlySet<string>;
  /** The only run that the token is for, with its sub-runs; null for any. */
  ownRun: RunOfToken | null;
}

/** Work of another module, stored with the events and before them. If it refuses, nothing is stored. */
export interface WorkBeside {
  threadIds: readonly string[];
  /** Bytes of memory that it holds. */
  bytes: number;
  run(unitOfWork: UnitOfWork): Promise<void>;
}

/** Bytes of loaded text at which a batch with further threads fails. */
const MAX_LOADED_BYTES = 64 * 1024 * 1024;
/** Errors of single events; the rest of the batch is stored all the same. */
const REFUSALS: ReadonlySet<string> = new Set(['forbidden', 'conflict']);

export class RecordingJob implements JournalJob<Recording> {
  readonly name = 'record a batch of events';
  readonly digests: SeenDigests;
  readonly isAlone: boolean;

  constructor(
    readonly threadIds: readonly string[],
    private readonly events: readonly ReportedEvent[],
    private readonly by: BatchReporter,
    readonly bytes: number,
    private readonly beside: WorkBeside | null,
  ) {
    this.digests = seenDigestsOf(events, by.reporter.binding);
    this.isAlone = beside !== null;
  }

  async run(unitOfWork: UnitOfWork): Promise<Recording> {
    await this.beside?.run(unitOfWork);
    const recording: Recording = { refused: [], cancelled: [] };
    const slices = new TimeSlices();
    // Thread by thread, so that only one thread's long lists are in memory.
    for (const [threadId, events] of byThread(this.events)) {
      if (unitOfWork.loadedBytes >= MAX_LOADED_BYTES) throw new LoadsTooMuchError();
      await this.recordThread(unitOfWork, threadId, events, slices, recording);
    }
    recording.refused.sort((a, b) => a.position - b.position);
    return recording;
  }

  private async recordThread(
    unitOfWork: UnitOfWork,
    threadId: string,
    events: readonly PlacedEvent[],
    slices: TimeSlices,
    recording: Recording,
  ): Promise<void> {
    const { reporter, closed, ownRun } = this.by;
    const draft = unitOfWork.findOrCreate(threadId);
    const applier = new EventApplier(
      unitOfWork.readerOf(draft),
      events.map(({ event }) => event),
      { reporter, ownRun, mayBeginRuns: !closed.has(threadId) },
      this.digests,
    );
    if (!draft.isNew) await applier.beginBatch();
    for (const { event, position } of events) {
      // Continuing a list of very many pieces takes some milliseconds.
      if (slices.isDue) await slices.pauseIfDue();
      try {
        await applier.apply(event);
      } catch (error) {
        if (!(error instanceof DomainError) || !REFUSALS.has(error.kind)) throw error;
        recording.refused.push({ position, error });
      }
    }
    applier.finishBatch();
    const found = applier.cancelledRuns();
    for (const row of found instanceof Promise ? await found : found) {
      recording.cancelled.push({ threadId, traceId: row.trace_id, reason: cancelReasonOf(row) });
    }
  }
}

/** Not a refusal, which would keep the transaction's other changes: it must roll back. */
export class LoadsTooMuchError extends Error {}

interface PlacedEvent {
  event: ReportedEvent;
  position: number;
}

function byThread(events: readonly ReportedEvent[]): Map<string, PlacedEvent[]> {
  const threads = new Map<string, PlacedEvent[]>();
  for (const [position, event] of events.entries()) {
    const own = threads.get(event.threadId);
    if (own) own.push({ event, position });
    else threads.set(event.threadId, [{ event, position }]);
  }
  return threads;
}
