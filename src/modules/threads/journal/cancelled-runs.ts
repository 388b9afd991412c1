import type { Reporter } from '../bindings/reporter.js';
import { isCancelled } from './run-facts.js';
import type { StoredRows } from './stored-rows.js';
import type { RunState } from './thread-state.js';

/** The cancelled ones among these runs and the callers of the others, as far as the reporter may speak for them. */
export async function cancelledAmong(
  runs: Iterable<RunState>,
  stored: StoredRows,
  reporter: Reporter,
): Promise<RunState[]> {
  const cancelled = new Set<RunState>();
  for (const run of runs) {
    const isOpenBelow = !isCancelled(run) && run.row.parent_trace_id !== null;
    const candidates = isOpenBelow ? await stored.find(() => stored.callersOf(run)) : [run];
    for (const candidate of candidates) if (isCancelled(candidate)) cancelled.add(candidate);
  }
  return [...cancelled].filter(({ row }) => reporter.maySpeakFor(row.agent_id));
}
