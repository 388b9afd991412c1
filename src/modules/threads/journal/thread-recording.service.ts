import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../common/domain-error.js';
import type { RunOfToken } from '../../../common/principal.js';
import { TimeSlices } from '../../../common/time-slices.js';
import type { UnitOfWork } from './unit-of-work.js';
import { Reporter } from '../bindings/reporter.js';
import { ServerThreadsService } from '../bindings/server-threads.service.js';
import { seenDigestsOf, type SeenDigests } from './event-digests.js';
import { EventApplier } from './event-applier.js';
import type { ApplierOptions } from './event-permission.js';
import { runsOfTrace } from './thread-state.js';
import type { ReportedEvent } from '../threads.contract.js';
import type { TextList } from '../../../common/text-list.js';
import { ThreadJournal } from './thread-journal.service.js';
import { cancelReasonOf } from '../entities/cancel-reason.js';

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

export interface RecordingOptions {
  /** Memory that the events hold. */
  bytes: number;
  /** The agents that the reporter may speak for; null for all. */
  allowedAgents: readonly string[] | null;
  /** The only run that the reporter's token is for, with those below it; null for any. */
  ownRun: RunOfToken | null;
}

/** Bytes of the stored texts of threads with which a batch goes on to no further one. */
const MAX_LOADED_BYTES = 64 * 1024 * 1024;
/** Of single events; the others of their batch are stored all the same. */
const REFUSALS: ReadonlySet<string> = new Set(['forbidden', 'conflict']);
const NONE: ReadonlySet<string> = new Set();

/** Records what agents report of their runs. */
@Injectable()
export class ThreadRecordingService {
  constructor(
    private readonly journal: ThreadJournal,
    private readonly serverThreads: ServerThreadsService,
  ) {}

  /**
   * Stores the events in their order and answers when they are durable.
   * @throws DomainError `unavailable`, `storage_full` or `too_large`; then none was stored
   */
  async record(events: readonly ReportedEvent[], options: RecordingOptions): Promise<Recording> {
    const threadIds = [...new Set(events.map(({ threadId }) => threadId))];
    const { bytes, ownRun, allowedAgents } = options;
    const reporter = new Reporter(allowedAgents);
    const closed = reporter.isBound ? await this.serverThreads.closedTo(reporter, threadIds) : NONE;
    const optionsOf = (threadId: string) => ({ reporter, mayBeginRuns: !closed.has(threadId), ownRun });
    const digests = seenDigestsOf(events, reporter.binding);
    const work = (drafts: UnitOfWork) => this.apply(events, drafts, optionsOf, digests);
    return this.journal.submit({ threadIds, bytes, digests, work }).catch((error: unknown) => {
      throw error instanceof LoadsTooMuchError ? batchLoadsTooMuch() : error;
    });
  }

  /**
   * The lists that the next report of this run will most likely begin with, if they are in memory. Only a hint:
   * which list a report really extends is found out when it is applied.
   */
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

  private async apply(
    events: readonly ReportedEvent[],
    drafts: UnitOfWork,
    optionsOf: (threadId: string) => ApplierOptions,
    digests: SeenDigests,
  ): Promise<Recording> {
    const recording: Recording = { refused: [], cancelled: [] };
    const slices = new TimeSlices();
    // Thread by thread: the long lists that an applier has put together are in memory for one thread at a time.
    for (const [threadId, own] of byThread(events)) {
      if (drafts.loadedBytes >= MAX_LOADED_BYTES) throw new LoadsTooMuchError();
      const draft = drafts.findOrCreate(threadId);
      const applier = new EventApplier(
        draft,
        drafts.storedRowsOf(draft),
        own.map(({ event }) => event),
        optionsOf(threadId),
        digests,
      );
      recording.refused.push(...(await refusedBy(applier, own, slices)));
      applier.finishBatch();
      const cancelled = applier.cancelledRuns();
      for (const row of Array.isArray(cancelled) ? cancelled : await cancelled) {
        recording.cancelled.push({ threadId, traceId: row.trace_id, reason: cancelReasonOf(row) });
      }
    }
    recording.refused.sort((a, b) => a.position - b.position);
    return recording;
  }
}

/** Not a refusal, which leaves what others have changed: the transaction has to go. */
class LoadsTooMuchError extends Error {}

function batchLoadsTooMuch(): DomainError {
  const message =
    'The last checkpoints of these threads are too large together. Send the events in several batches, each of fewer threads.';
  return new DomainError('too_large', 'batch_loads_too_much', message);
}

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

/** Applies the events of one thread in their order. */
async function refusedBy(
  applier: EventApplier,
  events: readonly PlacedEvent[],
  slices: TimeSlices,
): Promise<RefusedEvent[]> {
  const refused: RefusedEvent[] = [];
  for (const { event, position } of events) {
    // A report that goes on from a list of very many pieces takes some milliseconds.
    if (slices.isDue) await slices.pauseIfDue();
    try {
      while (!applier.apply(event)) await applier.load();
    } catch (error) {
      if (!(error instanceof DomainError) || !REFUSALS.has(error.kind)) throw error;
      applier.forgetRefused();
      refused.push({ position, error });
    }
  }
  return refused;
}
