import type { RunLease } from './run-lease.entity.js';

/** A thread's leases in memory: all of a trace or none. */
export type KnownLeases = ReadonlyMap<string, readonly RunLease[]>;

export const NO_LEASES: KnownLeases = new Map();

/** Most recently used traces of a thread whose leases stay in memory. */
const REMEMBERED_TRACES = 16;

export class ThreadLeases {
  /** Leases to write. */
  readonly changed = new Set<RunLease>();
  private known: KnownLeases;
  /** Traces that this transaction has read or changed: later reads must not replace them. */
  private readonly fresh = new Set<string>();

  constructor(base: KnownLeases) {
    this.known = base;
  }

  /** Undefined if they are not in memory. Other servers may have renewed them since. */
  ofTrace(traceId: string): readonly RunLease[] | undefined {
    return this.known.get(traceId);
  }

  /** Whether the trace's leases are the stored ones with this transaction's changes. */
  isFresh(traceId: string): boolean {
    return this.fresh.has(traceId);
  }

  /** Keeps leases read in this transaction, unless it has read or changed the trace's leases before. */
  learn(traceId: string, leases: readonly RunLease[]): void {
    if (this.fresh.has(traceId)) return;
    this.fresh.add(traceId);
    this.keep(traceId, leases);
  }

  /** Adds a lease or replaces the one with its number. The other leases of its trace must be in memory. */
  put(lease: RunLease): void {
    const others = (this.known.get(lease.trace_id) ?? []).filter(({ lease_no }) => lease_no !== lease.lease_no);
    for (const written of this.changed) {
      if (written.trace_id === lease.trace_id && written.lease_no === lease.lease_no) this.changed.delete(written);
    }
    this.changed.add(lease);
    this.fresh.add(lease.trace_id);
    this.keep(lease.trace_id, [...others, lease]);
  }

  /** What to keep in memory after the commit. */
  committed(): KnownLeases {
    if (this.known.size <= REMEMBERED_TRACES) return this.known;
    return new Map([...this.known].slice(-REMEMBERED_TRACES));
  }

  private keep(traceId: string, leases: readonly RunLease[]): void {
    const known = new Map(this.known);
    known.delete(traceId);
    this.known = known.set(traceId, leases);
  }
}
