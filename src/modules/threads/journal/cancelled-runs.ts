import type { Reporter } from '../bindings/reporter.js';
import { isCancelled } from './run-facts.js';
import type { StoredRows } from './stored-rows.js';
import type { RunState } from './thread-state.js';

/** Whether `cancelledAmong` has anything to look for. Most runs have no caller and are not cancelled. */
export function mayBeCancelled(run: RunState): boolean {
  return run.row.parent_trace_id !== null || isCancelled(run);
}

/** The cancelled ones among these runs and the callers of the others, as far as the reporter may speak for them. */
export async function cancelledAmong(
  runs: readonly RunState[],
  stored: StoredRows,
  reporter: Reporter,
): Promise<RunState[]> {
  const cancelled: RunState[] = [];
  const add = (run: RunState) => {
    if (isCancelled(run) && reporter.maySpeakFor(run.row.agent_id) && !cancelled.includes(run)) cancelled.push(run);
  };
  for (const run of runs) {
    if (isCancelled(run) || run.row.parent_trace_id === null) add(run);
    else (await stored.find(() => stored.callersOf(run))).forEach(add);
  }
  return cancelled;
}
