import type { RunLease } from './run-lease.entity.js';

export interface LeaseClaim {
  holder: string;
  ttlMs: number;
  /** The current fence, to hand the run over; null for none. */
  fence: number | null;
  /** Take it from its holder. */
  isForced: boolean;
}

export type LeaseDecision =
  | 'grant' // with a new fence
  | 'renew' // with the same fence
  | 'held' // somebody else holds it
  | 'stale'; // it names an outdated fence: somebody else had the run in between

type HeldLease = Pick<RunLease, 'holder' | 'fence' | 'ttl_ms' | 'expires_at' | 'released_at'>;

/** A lease that expires later than its duration allows has ended: the clock was set back, and nobody should wait for the old time. */
export function isLive(lease: Pick<HeldLease, 'ttl_ms' | 'expires_at' | 'released_at'>, nowMs: number): boolean {
  const leftMs = lease.expires_at - nowMs;
  return lease.released_at === null && leftMs > 0 && leftMs <= lease.ttl_ms;
}

/** @param lease the run's last lease in any state; null if it never had one */
export function decideLease(lease: HeldLease | null, claim: LeaseClaim, nowMs: number): LeaseDecision {
  if (claim.isForced || (lease !== null && claim.fence === lease.fence)) return 'grant';
  if (lease !== null && lease.released_at === null) {
    // Even after it expired: nobody else has held it since. The response to a handover may also have been lost.
    if (lease.holder === claim.holder) return 'renew';
    if (isLive(lease, nowMs)) return 'held';
  }
  return claim.fence === null ? 'grant' : 'stale';
}

/** Grows with time and over all threads of one id, so that no fence is issued twice, even after a backup was restored. */
export function nextFence(lastFence: number, nowMs: number): number {
  return Math.max(lastFence + 1, nowMs);
}
