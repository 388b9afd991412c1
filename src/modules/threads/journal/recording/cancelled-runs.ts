import type { Reporter } from '../../bindings/reporter.js';
import type { CallerRow } from '../store/journal.repository.js';
import { isCancelled, isCancelledRow } from '../rules/run-facts.js';
import type { ThreadReader } from '../store/thread-reader.js';
import type { RunState } from '../rules/thread-state.js';

/** Whether `cancelledAmong` has anything to look for. Most runs have no caller and are not cancelled. */
export function mayBeCancelled(run: RunState): boolean {
  return run.row.parent_trace_id !== null || isCancelled(run);
}

/** The cancelled ones among these runs and the callers of the others, as far as the reporter may speak for them. */
export async function cancelledAmong(
  runs: readonly RunState[],
  reader: ThreadReader,
  reporter: Reporter,
): Promise<CallerRow[]> {
  const called = runs.filter((run) => run.row.parent_trace_id !== null && !isCancelled(run));
  const callers = await reader.ancestry.callersOf(called.map(({ row }) => row));
  const cancelled = new Map<number, CallerRow>();
  for (const { row } of runs) {
    for (const one of callers.get(row.run_no) ?? [row]) {
      if (isCancelledRow(one) && reporter.maySpeakFor(one.agent_id)) cancelled.set(one.run_no, one);
    }
  }
  return [...cancelled.values()];
}
