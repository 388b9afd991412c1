import { Injectable } from '@nestjs/common';
import { after, type Awaitable } from '../../../common/awaitable.js';
import { DomainError } from '../../../common/domain-error.js';
import type { UnitOfWork } from './unit-of-work.js';
import { BatchMemory } from './batch-memory.js';
import { Reporter } from '../bindings/reporter.js';
import { ServerThreadsService } from '../bindings/server-threads.service.js';
import { EventApplier, type ApplierOptions } from './event-applier.js';
import { runsOfTrace } from './thread-state.js';
import { JournalRepository } from './journal.repository.js';
import type { ReportedEvent } from '../threads.contract.js';
import { RunLoader } from './run-loader.js';
import type { TextList } from '../../../common/text-list.js';
import { ThreadJournal } from './thread-journal.service.js';

/** An event that the rules refused; nothing of it was stored. */
export interface RefusedEvent {
  /** Its place among the events given. */
  position: number;
  error: DomainError;
}

export interface RecordingOptions {
  /** Memory that the events hold. */
  bytes: number;
  /** The agents that the reporter may speak for; null for all. */
  allowedAgents: readonly string[] | null;
}

const NONE: ReadonlySet<string> = new Set();

/** Records what agents report of their runs. */
@Injectable()
export class ThreadRecordingService {
  constructor(
    private readonly journal: ThreadJournal,
    private readonly repository: JournalRepository,
    private readonly loader: RunLoader,
    private readonly serverThreads: ServerThreadsService,
  ) {}

  /**
   * Stores the events in their order and answers when they are durable.
   * @throws DomainError `unavailable` or `storage_full`; then none was stored
   */
  async record(events: readonly ReportedEvent[], options: RecordingOptions): Promise<RefusedEvent[]> {
    const threadIds = [...new Set(events.map(({ threadId }) => threadId))];
    const reporter = new Reporter(options.allowedAgents);
    const closed = reporter.isBound ? await this.serverThreads.closedTo(reporter, threadIds) : NONE;
    const optionsOf = (threadId: string) => ({ reporter, mayBeginRuns: !closed.has(threadId) });
    const work = (drafts: UnitOfWork) => this.apply(events, drafts, optionsOf);
    const { bytes } = options;
    return this.journal.submit({ threadIds, bytes, work });
  }

  /**
   * The lists that the next report of this run will most likely begin with, if they are in memory. Only a hint:
   * which list a report really extends is found out when it is applied.
   */
  knownLists(threadId: string, traceId: string | null): { history: TextList; historyMeta: TextList } | null {
    const state = this.journal.remembered(threadId);
    if (!state) return null;
    const run = traceId === null ? null : runsOfTrace(state.runs, traceId)[0];
    const known = run ?? state.runs.get(state.row.current_run);
    return known ? { history: known.history.list, historyMeta: known.meta.list } : null;
  }

  private async apply(
    events: readonly ReportedEvent[],
    drafts: UnitOfWork,
    optionsOf: OptionsOf,
  ): Promise<RefusedEvent[]> {
    const refused: RefusedEvent[] = [];
    const threads = new Map<string, ThreadInBatch>();
    for (let position = 0; position < events.length; position++) {
      const event = events[position]!;
      const begun = threads.get(event.threadId) ?? this.begin(events, event.threadId, drafts, optionsOf);
      const { applier, memory } = begun instanceof Promise ? await begun : begun;
      if (!threads.has(event.threadId)) threads.set(event.threadId, { applier, memory });
      try {
        const applied = applier.apply(event, memory);
        if (applied) await applied;
      } catch (error) {
        if (!(error instanceof DomainError) || error.kind !== 'forbidden') throw error;
        refused.push({ position, error });
      }
    }
    for (const { applier, memory } of threads.values()) applier.finishBatch(memory);
    return refused;
  }

  private begin(
    events: readonly ReportedEvent[],
    threadId: string,
    drafts: UnitOfWork,
    optionsOf: OptionsOf,
  ): Awaitable<ThreadInBatch> {
    return after(drafts.findOrCreate(threadId), (draft) => {
      const applier = new EventApplier(draft, drafts.reader, this.repository, this.loader, optionsOf(threadId));
      const own = events.filter((event) => event.threadId === threadId);
      const thread = { applier, memory: new BatchMemory(own) };
      return draft.isNew ? thread : applier.prepare(own).then(() => thread);
    });
  }
}

type OptionsOf = (threadId: string) => ApplierOptions;

interface ThreadInBatch {
  applier: EventApplier;
  memory: BatchMemory;
}
