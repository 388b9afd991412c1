import { speaksFor } from '../../../common/bound-agents.js';
import type { KindredRun } from '../bindings/run-kinship.js';
import { leaseOf } from './lease-lookup.js';
import { leasesAbove } from './leases-above.js';
import type { RunLease } from './run-lease.entity.js';

/** A claim for a run, and the lease it was made under. */
export interface LeasedClaim {
  traceId: string;
  /** The agent id up to its first `:`. */
  agent: string;
  agentId: string;
  /** The run whose lease counted then. */
  leaseTrace: string;
  /** The fence that counted then; null if there was none. */
  fence: number | null;
}

/**
 * The lease that counts now for a claim's run: its own or a caller's, as for reports. Other agents' runs and leases with the same trace do
 * not count: nobody can block another's run by claiming its trace. Null if none was ever granted, or the claim's is gone.
 * @param runsOf the runs with a trace, oldest first
 * @param leasesOf the leases with a trace
 */
export async function leaseNowOf(
  claim: LeasedClaim,
  runsOf: (traceId: string) => Promise<readonly KindredRun[]>,
  leasesOf: (traceId: string) => Promise<readonly RunLease[]>,
): Promise<RunLease | null> {
  const { fence } = claim;
  const run = ofAgent(await runsOf(claim.traceId), claim);
  const beside = await leasesOf(claim.traceId);
  const own = beside.find((lease) => lease.fence === fence) ?? (run ? leaseOf(beside, run) : leaseToBe(beside, claim));
  const above = run ? await leasesAbove(run, runsOf, leasesOf) : [];
  const chain = own ? [own, ...above] : above;
  if (fence !== null && !chain.some((lease) => lease.fence === fence)) {
    // The agent alone does not identify the run.
    return (await leasesOf(claim.leaseTrace)).find((lease) => lease.fence === fence) ?? null;
  }
  return chain.find(({ released_at }) => released_at === null) ?? chain[0] ?? null;
}

function leaseToBe(leases: readonly RunLease[], claim: LeasedClaim): RunLease | null {
  const waiting = leases.filter(({ run_no }) => run_no === 0);
  return ofAgent(waiting, claim) ?? waiting.find(({ agent_id }) => agent_id === null) ?? null;
}

/** The agent's own first, then those of its sub-agents and instances. */
function ofAgent<T extends { agent_id: string | null }>(
  things: readonly T[],
  { agent, agentId }: Pick<LeasedClaim, 'agent' | 'agentId'>,
): T | null {
  const exact = things.find(({ agent_id }) => agent_id === agentId);
  return exact ?? things.find(({ agent_id }) => agent_id !== null && speaksFor([agent], agent_id)) ?? null;
}
