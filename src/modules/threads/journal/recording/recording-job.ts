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
  /** Its place among the events given. */
  position: number;
  error: DomainError;
}

/** A run that its program is to stop. */
export interface CancelledRun {
  threadId: string;
  traceId: string;
  /** Why somebody cancelled it; null where nobody said. */
  reason: string | null;
}

/** What became of the events of a batch. */
export interface Recording {
  refused: RefusedEvent[];
  /** Cancelled runs that events of the batch belong to, and cancelled callers of these. */
  cancelled: CancelledRun[];
}

/** Who reports a batch. */
export interface BatchReporter {
  reporter: Reporter;
  /** The threads in which it may not begin runs. */
  closed: ReadonlySet<string>;
  /** The only run that the reporter's token is for, with those below it; null for any. */
  ownRun: RunOfToken | null;
}

/** Bytes of the stored texts of threads with which a batch goes on to no further one. */
const MAX_LOADED_BYTES = 64 * 1024 * 1024;
/** Of single events; the others of their batch are stored all the same. */
const REFUSALS: ReadonlySet<string> = new Set(['forbidden', 'conflict']);

/** Records the events of a batch in their order. */
export class RecordingJob implements JournalJob<Recording> {
  readonly name = 'record a batch of events';
  readonly digests: SeenDigests;

  /** @param bytes memory that the events hold */
  constructor(
    readonly threadIds: readonly string[],
    private readonly events: readonly ReportedEvent[],
    private readonly by: BatchReporter,
    readonly bytes: number,
  ) {
    this.digests = seenDigestsOf(events, by.reporter.binding);
  }

  async run(unitOfWork: UnitOfWork): Promise<Recording> {
    const recording: Recording = { refused: [], cancelled: [] };
    const slices = new TimeSlices();
    // Thread by thread: the long lists that an applier has put together are in memory for one thread at a time.
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
      // A report that goes on from a list of very many pieces takes some milliseconds.
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

/** Not a refusal, which leaves what others have changed: the transaction has to go. */
export class LoadsTooMuchError extends Error {}

/** An event and its place in the batch. */
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
