import os from 'node:os';
import { randomUUID } from 'node:crypto';
import type { ApiConnection } from './api-connection.js';
import { ApiRefusalError, ForeignResponseError } from './latest-reader.js';
import { LeaseHeldError, leasePath, readLeaseResponse, renewalFence, type LeaseResponse } from './lease-requests.js';
import { LeaseRenewal } from './lease-renewal.js';
import type { PatientRequests } from './patient-requests.js';

export interface LeasedRun {
  thread_id: string;
  trace_id: string;
}

export interface LeaseOptions {
  /** Seconds without a renewal after which others may take the run over, 5 to 3600. Default: 60. */
  ttlSeconds?: number;
  /** Identifies this process: the same name gets the same lease. Default: a new one for each client. */
  holder?: string;
  /** The current fence, if an earlier holder has handed the run over. */
  fence?: number;
  /** Ends the wait for the API. */
  signal?: AbortSignal;
}

/** The lease of a run that this client holds. */
export interface RunLease {
  readonly fence: number;
  /** Aborts when another process has taken the run over: stop working on it. */
  readonly lost: AbortSignal;
  /** Delivers pending reports, then releases the lease, so that others may continue at once. Waits while the API is down. */
  release(signal?: AbortSignal): Promise<void>;
}

interface Held {
  run: LeasedRun;
  fence: number;
  renewal: LeaseRenewal;
  /** The traces of the run and of its sub-runs reported here. */
  traces: Set<string>;
}

/** The leases of one client: renews them, and knows which reports belong to leased runs. */
export class LeaseKeeper {
  private readonly holder = `${os.hostname().slice(0, 100)} ${process.pid} ${randomUUID()}`;
  private readonly held = new Set<Held>();

  /** @param deliver waits until all reports so far are delivered */
  constructor(
    private readonly connection: ApiConnection,
    private readonly requests: PatientRequests,
    private readonly deliver: (signal?: AbortSignal) => Promise<void>,
    private readonly onLost: (run: LeasedRun) => void,
  ) {}

  /** @throws LeaseHeldError; ApiRefusalError, also if the given fence is not the current one */
  async claim(run: LeasedRun & { agent_id: string }, options: LeaseOptions): Promise<RunLease> {
    // Later, reports without a fence would be refused.
    await this.deliver(options.signal);
    const { ttlSeconds = 60, holder = this.holder, fence = null } = options;
    const ask = async (named: number | null, signal?: AbortSignal): Promise<LeaseResponse> => {
      const claim = { holder, agent_id: run.agent_id, ttl_seconds: ttlSeconds, fence: named };
      const request = { method: 'POST' as const, body: JSON.stringify(claim), signal };
      return readLeaseResponse(await this.connection.send(leasePath(run.thread_id, run.trace_id), request));
    };
    const granted = await this.requests.untilResponse(options.signal, async (signal) => {
      return fenceIn(await ask(fence, signal));
    });
    return this.hold(run, granted, { ttlMs: ttlSeconds * 1000, claim: () => ask(renewalFence(granted)) });
  }

  /** The fence for a report of a leased run or a sub-run; null for others. */
  fenceFor(report: object): number | null {
    const data = report as { thread_id?: unknown; trace_id?: unknown; parent_trace_id?: unknown };
    for (const { run, traces, fence } of this.held) {
      const isOfRun =
        data.thread_id === run.thread_id &&
        [data.trace_id, data.parent_trace_id].some((trace) => typeof trace === 'string' && traces.has(trace));
      if (!isOfRun) continue;
      if (typeof data.trace_id === 'string') traces.add(data.trace_id);
      return fence;
    }
    return null;
  }

  /** After a refused report, checks at once that the leases are still held. */
  check(): void {
    for (const { renewal } of this.held) renewal.check();
  }

  /** Releases all leases. Does not wait for an unreachable API: there they expire. */
  async releaseAll(): Promise<void> {
    await Promise.allSettled([...this.held].map((one) => this.giveBack(one)));
  }

  /** Stops renewing. */
  stop(): void {
    for (const { renewal } of this.held) renewal.stop();
    this.held.clear();
  }

  private hold(
    { thread_id, trace_id }: LeasedRun,
    fence: number,
    terms: { ttlMs: number; claim: () => Promise<LeaseResponse> },
  ): RunLease {
    const run = { thread_id, trace_id };
    const lost = new AbortController();
    const onLost = () => {
      lost.abort(new Error(`another process has taken over the run ${trace_id}`));
      this.onLost(run);
    };
    const renewal = new LeaseRenewal({ ...terms, fence, onLost });
    const held = { run, fence, renewal, traces: new Set([trace_id]) };
    for (const other of this.held) {
      if (other.run.thread_id === thread_id && other.run.trace_id === trace_id) this.forget(other);
    }
    this.held.add(held);
    const release = async (signal?: AbortSignal) => {
      if (!this.held.has(held)) return;
      await this.deliver(signal);
      await this.requests.untilResponse(signal, () => this.giveBack(held));
    };
    return { fence, lost: lost.signal, release };
  }

  private async giveBack(held: Held): Promise<void> {
    const { run, fence } = held;
    const path = `${leasePath(run.thread_id, run.trace_id)}?fence=${fence}`;
    held.renewal.stop();
    const { status } = await this.connection.send(path, { method: 'DELETE' });
    const refusal = new ApiRefusalError(status, `the release of the lease was refused with status ${status}`);
    if (refusal.isPassing) throw refusal;
    // Whatever the API says, the lease is no longer this client's.
    this.forget(held);
  }

  private forget(held: Held): void {
    held.renewal.stop();
    this.held.delete(held);
  }
}

/** @throws LeaseHeldError; ApiRefusalError */
function fenceIn(response: LeaseResponse): number {
  switch (response.kind) {
    case 'held':
      return response.fence;
    case 'busy':
      throw new LeaseHeldError(response.holder, new Date(response.expiresAtMs));
    case 'stale':
      throw new ApiRefusalError(409, 'the run was handed over to another process since that fence');
    case 'later':
      throw new ApiRefusalError(response.status, `the lease was refused with status ${response.status}`);
    case 'refused':
      throw new (response.isForeign ? ForeignResponseError : ApiRefusalError)(
        response.status,
        `the lease was refused: ${response.detail}`,
      );
  }
}
