import { settled } from './settled-run.js';
import { runsOfTrace, type RunState } from './thread-state.js';

/** How many runs of a thread stay in memory after a commit: those touched last. */
const REMEMBERED_RUNS = 16;

/** The runs to keep in memory of those that were there before a commit and those that it changed, by number. */
export function rememberedRuns(
  before: ReadonlyMap<number, RunState>,
  changed: ReadonlyMap<number, RunState>,
): Map<number, RunState> {
  const runs = new Map(before);
  changed.forEach((run, runNo) => {
    runs.delete(runNo);
    runs.set(runNo, settled(run));
  });
  if (runs.size <= REMEMBERED_RUNS) return runs;
  for (const { row } of runs.values()) {
    if (runs.size <= REMEMBERED_RUNS) break;
    // All runs of a trace stay or none does: if one is in memory, nobody looks for the others.
    for (const { row: twin } of runsOfTrace(runs, row.trace_id)) runs.delete(twin.run_no);
  }
  return runs;
}
