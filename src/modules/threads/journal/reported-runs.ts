import type { Reporter } from '../bindings/reporter.js';
import { mayMean, runMeant, type EventWords } from '../bindings/run-meant.js';
import type { ReportedEvent } from '../threads.contract.js';
import type { BatchMemory } from './batch-memory.js';
import { runEndedBy } from './run-ended-by.js';
import type { StoredRows } from './stored-rows.js';
import type { ThreadDraft } from './thread-draft.js';
import type { RunState } from './thread-state.js';

/** Which run of a thread each event of a batch belongs to. */
export class ReportedRuns {
  constructor(
    private readonly draft: ThreadDraft,
    private readonly stored: StoredRows,
    private readonly memory: BatchMemory,
    private readonly reporter: Reporter,
  ) {}

  /** Null for a run that is not there yet, and while stored rows are missing. */
  of(event: ReportedEvent): RunState | null {
    if (event.traceId !== null) return this.withTrace(event.traceId, event);
    const run = this.withoutTrace(event);
    return run && event.kind === 'ending' ? runEndedBy(event, run, this.stored, this.reporter) : run;
  }

  private withTrace(trace: string, event: ReportedEvent): RunState | null {
    const { lastRun } = this.memory;
    const found = this.stored.runsOf(trace);
    if (found.length === 0) return null;
    // An event that names no agent belongs to the run of the event before it.
    const isSame = event.fields.agent_id === null && lastRun?.trace_id === trace;
    const rows = found.map(({ row }) => row);
    const runNo = isSame ? lastRun.run_no : runMeant(rows, wordsOf(event), this.reporter)?.run_no;
    return found.find(({ row }) => row.run_no === runNo) ?? null;
  }

  private withoutTrace(event: ReportedEvent): RunState | null {
    const { lastRun } = this.memory;
    const run = this.stored.runByNumber(lastRun?.run_no ?? this.draft.currentRunOf(this.reporter));
    const isSame = lastRun !== null && event.fields.agent_id === null;
    return run && (isSame || mayMean(run.row, wordsOf(event), this.reporter)) ? run : null;
  }
}

function wordsOf({ kind, fields }: ReportedEvent): EventWords {
  return { kind, agentId: fields.agent_id };
}
