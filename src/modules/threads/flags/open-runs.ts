import { RUN_STATUS, STATUSES_NOT_UNDER_WAY } from '../../../common/contract/run-status.js';
import { MAX_LINKS } from '../bindings/run-kinship.js';
import type { FlaggedRun } from './flags.contract.js';

/** An open run and its signs of life. */
export interface OpenRun extends FlaggedRun {
  parent_trace_id: string | null;
  status: string;
  /** It reported something, or its lease was held: its callers wait for it. */
  isHeard: boolean;
  /** Its process is alive, so the runs it called are attended too. */
  isAttended: boolean;
}

const NOT_UNDER_WAY: ReadonlySet<string> = new Set(STATUSES_NOT_UNDER_WAY);

/** Numbers of the thread's running runs without a sign of life of their own, of runs they called, or of their callers' processes. */
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

/** The run and its open callers; a circle ends the chain. */
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
