import { runsOfTrace, type RunState } from '../rules/thread-state.js';

/** This many runs are searched without an index. Most threads touch no more. */
const FEW = 16;
const NONE: ReadonlyMap<number, RunState> = new Map();

/** Runs by number, with an index by trace. Runs are only added. */
export class TracedRuns {
  private own: Map<number, RunState> | null = null;
  private traces: Map<string, RunState[]> | null = null;

  /** @param byNumber never changed: adding makes a copy */
  constructor(public byNumber: ReadonlyMap<number, RunState> = NONE) {}

  add(run: RunState): RunState {
    this.byNumber = this.own ??= new Map(this.byNumber);
    if (this.own.has(run.row.run_no)) this.traces = null;
    else if (this.traces) index(this.traces, run);
    this.own.set(run.row.run_no, run);
    return run;
  }

  ofTrace(traceId: string): readonly RunState[] {
    if (this.byNumber.size <= FEW) return runsOfTrace(this.byNumber, traceId);
    if (!this.traces) {
      this.traces = new Map();
      for (const run of this.byNumber.values()) index(this.traces, run);
    }
    return this.traces.get(traceId) ?? [];
  }
}

function index(traces: Map<string, RunState[]>, run: RunState): void {
  const twins = traces.get(run.row.trace_id);
  if (!twins) traces.set(run.row.trace_id, [run]);
  else twins.splice(twins.findLastIndex(({ row }) => row.run_no < run.row.run_no) + 1, 0, run);
}
