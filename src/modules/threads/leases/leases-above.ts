import { RunKinship, type KindredRun } from '../bindings/run-kinship.js';
import { leaseOf, futureRuns } from './lease-lookup.js';
import type { RunLease } from './run-lease.entity.js';

/**
 * The leases of a run's callers, the nearest first. A circle ends the chain.
 * @param runsOf the runs with a trace, oldest first
 * @param leasesOf their leases, including future runs'
 */
export async function leasesAbove(
  run: KindredRun,
  runsOf: (traceId: string) => Promise<readonly KindredRun[]>,
  leasesOf: (traceId: string) => Promise<readonly RunLease[]>,
): Promise<RunLease[]> {
  const kinship = new RunKinship<KindredRun>(async (traceId) => [
    ...(await runsOf(traceId)),
    ...futureRuns(await leasesOf(traceId)),
  ]);
  const above: RunLease[] = [];
  for (const caller of await kinship.callersOf(run)) {
    const lease = leaseOf(await leasesOf(caller.trace_id), caller);
    if (lease) above.push(lease);
  }
  return above;
}
