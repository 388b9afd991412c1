import type { RunLease } from './run-lease.entity.js';

/** Leases of a thread that are in memory, all of a trace or none. */
export type KnownLeases = ReadonlyMap<string, readonly RunLease[]>;

export const NO_LEASES: KnownLeases = new Map();

/** How many traces of a thread keep their leases in memory: those touched last. */
const REMEMBERED_TRACES = 16;

/** The leases of a thread under change. */
export class ThreadLeases {
  /** Leases to write. */
  readonly changed = new Set<RunLease>();
  private known: KnownLeases;
  /** Traces that were read or changed in this transaction: what is read later knows less of them. */
  private readonly fresh = new Set<string>();

  constructor(base: KnownLeases) {
    this.known = base;
  }

  /** Undefined where they are not in memory. Other servers may have renewed them since. */
  ofTrace(traceId: string): readonly RunLease[] | undefined {
    return this.known.get(traceId);
  }

  /** Whether the leases of the trace are as they are stored, with the changes of this transaction. */
  isFresh(traceId: string): boolean {
    return this.fresh.has(traceId);
  }

  /** Keeps leases that were read in this transaction, unless the transaction has read or changed those of the trace before. */
  learn(traceId: string, leases: readonly RunLease[]): void {
    if (this.fresh.has(traceId)) return;
    this.fresh.add(traceId);
    this.keep(traceId, leases);
  }

  /** Adds a lease, or puts it in the place of the one with its number. The other leases of its trace must be known, if there are any. */
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
