import type { Run } from '../../entities/run.entity.js';
import type { ReportedEvent } from '../../threads.contract.js';
import type { Decision } from './run-rules.js';
import type { RunState } from './thread-state.js';

/** Most threads of a batch have one run or two, so that arrays are smaller and quicker than sets. */
const NONE: readonly number[] = [];

/** What a batch remembers of one thread from event to event. */
export class BatchMemory {
  /** The run of the event before; an event without a trace means the same. */
  lastRun: Pick<Run, 'run_no' | 'trace_id'> | null = null;
  /** The numbers of the runs that the batch started again. */
  marked: readonly number[] = NONE;
  /** Numbers of runs that events of this batch have changed. */
  private changed: readonly number[] = NONE;
  /** How many events of the batch belong to a run; null is the run that the first ones without a trace mean. */
  private readonly counts = new Map<string | null, number>();
  /** The run that null stands for. */
  private firstTrace: string | null = null;

  /** @param events those of the thread in their order */
  constructor(events: readonly ReportedEvent[]) {
    let trace: string | null = null;
    for (const event of events) {
      // What changes no run tells nothing of how its endings are meant.
      if (event.kind === 'note') continue;
      trace = event.traceId ?? trace;
      this.counts.set(trace, (this.counts.get(trace) ?? 0) + 1);
    }
  }

  /** Whether the batch holds no other event of the run than this one. */
  isLone({ row: { trace_id } }: RunState, { traceId }: ReportedEvent): boolean {
    const own = traceId ?? this.lastRun?.trace_id ?? null;
    const isFirst = own === null || this.firstTrace === trace_id;
    const all = (this.counts.get(trace_id) ?? 0) + (isFirst ? (this.counts.get(null) ?? 0) : 0);
    return all - Number(own === null || own === trace_id) === 0;
  }

  /** Whether something new came before of this run: neither replays nor starts count. */
  hasNews(run: RunState): boolean {
    return this.changed.includes(run.row.run_no);
  }

  /** Call this for a run that ends: it is not to be reopened. */
  unmark({ row }: RunState): void {
    if (this.marked.length > 0) this.marked = this.marked.filter((runNo) => runNo !== row.run_no);
  }

  /** To be called after each event. */
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
