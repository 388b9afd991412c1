import { isEnded } from '../../../../common/contract/run-status.js';
import type { Reporter } from '../../bindings/reporter.js';
import { canMatchRun, matchRun, type EventSource } from '../../bindings/run-matching.js';
import type { ReportedEvent } from '../../threads.contract.js';
import type { BatchMemory } from '../rules/batch-memory.js';
import { reportDigestOf } from '../rules/event-digests.js';
import type { CallerRow } from '../store/journal.repository.js';
import { awaitsEnding } from '../rules/run-facts.js';
import type { ThreadDraft } from '../store/thread-draft.js';
import type { Readable, ThreadReader } from '../store/thread-reader.js';
import type { RunState } from '../rules/thread-state.js';

export class ReportedRuns {
  constructor(
    private readonly draft: ThreadDraft,
    private readonly reader: ThreadReader,
    private readonly memory: BatchMemory,
    private readonly reporter: Reporter,
  ) {}

  /** Null for a run that does not exist yet. */
  of(event: ReportedEvent): Readable<RunState | null> {
    const { traceId } = event;
    if (traceId === null) return this.withoutTrace(event);
    const found = this.reader.runsOf(traceId);
    return found instanceof Promise
      ? found.then((runs) => this.matchAmong(runs, traceId, event))
      : this.matchAmong(found, traceId, event);
  }

  private matchAmong(found: readonly RunState[], trace: string, event: ReportedEvent): RunState | null {
    const { lastRun } = this.memory;
    if (found.length === 0) return null;
    // An event without an agent belongs to the previous event's run.
    const isSame = event.fields.agent_id === null && lastRun?.trace_id === trace;
    const rows = found.map(({ row }) => row);
    const runNo = isSame ? lastRun.run_no : matchRun(rows, sourceOf(event), this.reporter)?.run_no;
    return found.find(({ row }) => row.run_no === runNo) ?? null;
  }

  private withoutTrace(event: ReportedEvent): Readable<RunState | null> {
    const found = this.reader.runByNumber(this.memory.lastRun?.run_no ?? this.draft.currentRunOf(this.reporter));
    return found instanceof Promise ? found.then((run) => this.meantBy(event, run)) : this.meantBy(event, found);
  }

  private meantBy(event: ReportedEvent, run: RunState | null): Readable<RunState | null> {
    const isSame = this.memory.lastRun !== null && event.fields.agent_id === null;
    if (!run || !(isSame || canMatchRun(run.row, sourceOf(event), this.reporter))) return null;
    const mayMeanCaller = event.kind === 'ending' && run.row.parent_trace_id !== null && !isOpen(run.row);
    return mayMeanCaller ? this.endedBy(event, run) : run;
  }

  /**
   * The run that an ending without a trace ends. If the current run is a sub-run that has already ended, its nearest open caller ends. A
   * run that ended with the same text was meant before; the first ending after a cancellation is the cancelled program's own.
   */
  private async endedBy(event: ReportedEvent, run: RunState): Promise<RunState> {
    const digest = reportDigestOf(event);
    const isMeant = (row: CallerRow) => isOpen(row) || row.ending_digest === digest || awaitsEnding(row);
    if (isMeant(run.row)) return run;
    for (const caller of await this.reader.callersOf(run)) {
      if (!this.reporter.maySpeakFor(caller.agent_id)) return run;
      if (isMeant(caller)) return (await this.reader.runByNumber(caller.run_no)) ?? run;
    }
    return run;
  }
}

/** A restarted run keeps the status of its end until the batch is over. */
function isOpen({ status, mark }: CallerRow): boolean {
  return mark !== null || !isEnded(status);
}

function sourceOf({ kind, fields }: ReportedEvent): EventSource {
  return { kind, agentId: fields.agent_id };
}
