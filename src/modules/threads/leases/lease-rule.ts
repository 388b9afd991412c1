import type { RunLease } from './run-lease.entity.js';

/** What a claim of a lease says. */
export interface LeaseClaim {
  holder: string;
  ttlMs: number;
  /** The current fence, to hand the run over; null for none. */
  fence: number | null;
  /** Take it from whoever holds it. */
  isForced: boolean;
}

export type LeaseDecision =
  | 'grant' // with a new fence
  | 'renew' // with the same
  | 'held' // somebody else has it
  | 'stale'; // it names a fence that is not the current one: somebody else had the run in between

type HeldLease = Pick<RunLease, 'holder' | 'fence' | 'ttl_ms' | 'expires_at' | 'released_at'>;

/** A lease that ends further ahead than it can is over: the clock was set back, and nobody should wait for its old time. */
export function isLive(lease: Pick<HeldLease, 'ttl_ms' | 'expires_at' | 'released_at'>, nowMs: number): boolean {
  const leftMs = lease.expires_at - nowMs;
  return lease.released_at === null && leftMs > 0 && leftMs <= lease.ttl_ms;
}

/** @param lease the last of the run, in whatever state; null if it never had one */
export function decideLease(lease: HeldLease | null, claim: LeaseClaim, nowMs: number): LeaseDecision {
  if (claim.isForced || (lease !== null && claim.fence === lease.fence)) return 'grant';
  if (lease !== null && lease.released_at === null) {
    // Also one that ran out: nobody else has had it since. And the answer to a handover may have got lost.
    if (lease.holder === claim.holder) return 'renew';
    if (isLive(lease, nowMs)) return 'held';
  }
  return claim.fence === null ? 'grant' : 'stale';
}

/** Grows over time and over all threads of one name, so that no fence is given twice, also where a backup was restored. */
export function nextFence(lastFence: number, nowMs: number): number {
  return Math.max(lastFence + 1, nowMs);
}
