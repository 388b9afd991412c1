import { RUN_STATUS, STATUSES_NOT_UNDER_WAY } from '../../../common/contract/run-status.js';
import { MAX_LINKS } from '../bindings/run-kinship.js';
import type { FlaggedRun } from './flags.contract.js';

/** A run that has not ended, with what was heard of it. */
export interface OpenRun extends FlaggedRun {
  parent_trace_id: string | null;
  status: string;
  /** It reported something, or its lease was held: whoever called it waits for it. */
  isHeard: boolean;
  /** Its process is there: so is whoever it has called. */
  isAttended: boolean;
}

const NOT_UNDER_WAY: ReadonlySet<string> = new Set(STATUSES_NOT_UNDER_WAY);

/**
 * The numbers of the runs of a thread that are under way although nothing was heard of them, of the runs that they called, or of the
 * processes of those that called them.
 */
export function silentRuns(open: readonly OpenRun[]): Set<number> {
  const byTrace = new Map<string, OpenRun>();
  for (const run of open) if (!byTrace.has(run.trace_id)) byTrace.set(run.trace_id, run);
  const silent = new Set(open.filter(({ status }) => !NOT_UNDER_WAY.has(status)).map(({ run_no }) => run_no));
  for (const run of open) {
    const chain = chainOf(run, byTrace);
    if (chain.some(({ isAttended }) => isAttended)) silent.delete(run.run_no);
    if (run.isHeard || run.status === RUN_STATUS.waiting) for (const { run_no } of chain) silent.delete(run_no);
  }
  return silent;
}

/** The run and those above it, as far as they are open; a circle ends it. */
function chainOf(run: OpenRun, byTrace: ReadonlyMap<string, OpenRun>): OpenRun[] {
  const chain = [run];
  while (chain.length <= MAX_LINKS) {
    const { parent_trace_id: traceId } = chain.at(-1)!;
    const parent = traceId === null ? undefined : byTrace.get(traceId);
    if (!parent || chain.includes(parent)) break;
    chain.push(parent);
  }
  return chain;
}
