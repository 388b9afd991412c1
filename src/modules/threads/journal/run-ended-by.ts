import type { Reporter } from '../bindings/reporter.js';
import type { CallerRow } from './journal.repository.js';
import { isEnded } from '../../../common/contract/run-status.js';
import type { ReportedEvent } from '../threads.contract.js';
import { reportDigestOf } from './event-digests.js';
import { awaitsEnding } from './run-facts.js';
import type { StoredRows } from './stored-rows.js';
import type { RunState } from './thread-state.js';

/**
 * The run that an ending without a trace ends. If the current run is a sub-run that has already ended, this is its nearest open caller
 * that the thread knows. A run that ended with the same text is the one that was meant before; a cancelled one is meant by the first
 * ending, which its program reports itself.
 */
export function runEndedBy(event: ReportedEvent, run: RunState, stored: StoredRows, reporter: Reporter): RunState {
  if (run.row.parent_trace_id === null || isOpen(run.row)) return run;
  const digest = reportDigestOf(event);
  const isMeant = (row: CallerRow) => isOpen(row) || row.ending_digest === digest || awaitsEnding(row);
  if (isMeant(run.row)) return run;
  for (const caller of stored.callersOf(run)) {
    if (!reporter.maySpeakFor(caller.agent_id)) return run;
    if (isMeant(caller)) return stored.runByNumber(caller.run_no) ?? run;
  }
  return run;
}

/** A run that the batch has started again keeps the status of its end until the batch is over. */
function isOpen({ status, mark }: CallerRow): boolean {
  return mark !== null || !isEnded(status);
}
