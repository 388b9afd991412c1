import type { Reporter } from '../bindings/reporter.js';
import { matchRun, UNKNOWN_AGENT, type OwnedRun } from '../bindings/run-matching.js';
import type { KindredRun } from '../bindings/run-kinship.js';
import type { RunLease } from './run-lease.entity.js';

/**
 * The lease of a future run: the one that a report of this agent would begin. A bound token's lease does not apply to others' runs.
 * @param leases of the runs with one trace
 */
export function leaseOfFutureRun(
  leases: readonly RunLease[],
  agentId: string | null,
  reporter: Reporter,
): RunLease | null {
  const waiting = leases.filter(({ run_no }) => run_no === 0);
  if (waiting.length === 0) return null;
  const meant = matchRun(waiting.map(runOf), { kind: 'checkpoint', agentId }, reporter);
  return waiting.find(({ lease_no }) => lease_no === meant?.run_no) ?? null;
}

/** The lease of a future run that an unbound token has claimed for any agent. */
export function leaseOfAnyFutureRun(leases: readonly RunLease[]): RunLease | null {
  return leases.find((lease) => lease.run_no === 0 && lease.agent_id === null && lease.began_by === null) ?? null;
}

/** Future runs, which others may name as their parents. They count as newer than all existing runs. */
export function futureRuns(leases: readonly RunLease[]): KindredRun[] {
  return leases
    .filter(({ run_no }) => run_no === 0)
    .map((lease) => ({
      ...runOf(lease),
      run_no: Number.MAX_SAFE_INTEGER - lease.lease_no,
      trace_id: lease.trace_id,
      parent_trace_id: null,
      parent_by: null,
    }));
}

/** @param leases of the runs with its trace */
export function leaseOf(leases: readonly RunLease[], run: Pick<OwnedRun, 'run_no'>): RunLease | null {
  const isOf = ({ run_no, lease_no }: RunLease) =>
    run_no === 0 ? run.run_no === Number.MAX_SAFE_INTEGER - lease_no : run_no === run.run_no;
  return leases.find(isOf) ?? null;
}

function runOf({ lease_no, agent_id, began_by }: RunLease): OwnedRun {
  return { run_no: lease_no, agent_id: agent_id ?? UNKNOWN_AGENT, began_by };
}
