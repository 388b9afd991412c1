import type { Run } from '../../entities/run.entity.js';
import type { ReportedEvent } from '../../threads.contract.js';
import type { Decision } from './run-rules.js';
import type { RunState } from './thread-state.js';

/** Most threads of a batch have one or two runs: arrays are smaller and faster than sets. */
const NONE: readonly number[] = [];

export class BatchMemory {
  /** The previous event's run; an event without a trace means the same. */
  lastRun: Pick<Run, 'run_no' | 'trace_id'> | null = null;
  marked: readonly number[] = NONE;
  private changed: readonly number[] = NONE;
  /** Events per trace; null counts the first events without a trace. */
  private readonly counts = new Map<string | null, number>();
  /** The trace that null stands for. */
  private firstTrace: string | null = null;

  constructor(events: readonly ReportedEvent[]) {
    let trace: string | null = null;
    for (const event of events) {
      // Notes change no run and say nothing about endings.
      if (event.kind === 'note') continue;
      trace = event.traceId ?? trace;
      this.counts.set(trace, (this.counts.get(trace) ?? 0) + 1);
    }
  }

  /** Whether the batch holds no other event of the run. */
  isLone({ row: { trace_id } }: RunState, { traceId }: ReportedEvent): boolean {
    const own = traceId ?? this.lastRun?.trace_id ?? null;
    const isFirst = own === null || this.firstTrace === trace_id;
    const all = (this.counts.get(trace_id) ?? 0) + (isFirst ? (this.counts.get(null) ?? 0) : 0);
    return all - Number(own === null || own === trace_id) === 0;
  }

  /** Whether an earlier event of the batch brought news of this run. Replays and starts do not count. */
  hasNews(run: RunState): boolean {
    return this.changed.includes(run.row.run_no);
  }

  /** Call this for a run that ends, so that it is not reopened. */
  unmark({ row }: RunState): void {
    if (this.marked.length > 0) this.marked = this.marked.filter((runNo) => runNo !== row.run_no);
  }

  note(run: RunState, event: ReportedEvent, decision: Decision): void {
    const { run_no, trace_id } = run.row;
    if (this.lastRun === null && event.traceId === null) this.firstTrace = trace_id;
    this.lastRun = { run_no, trace_id };
    if (decision === 'mark') this.marked = withNumber(this.marked, run_no);
    else if (decision !== 'replay' && decision !== 'late') this.changed = withNumber(this.changed, run_no);
  }
}

function withNumber(numbers: readonly number[], runNo: number): readonly number[] {
  return numbers.includes(runNo) ? numbers : [...numbers, runNo];
}
