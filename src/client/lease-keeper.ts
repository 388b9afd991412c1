import os from 'node:os';
import { randomUUID } from 'node:crypto';
import type { ApiConnection } from './api-connection.js';
import { ApiRefusalError } from './latest-reader.js';
import { LeaseHeldError, leasePath, readLeaseResponse, renewalFence, type LeaseResponse } from './lease-requests.js';
import { LeaseRenewal } from './lease-renewal.js';
import type { PatientRequests } from './patient-requests.js';

export interface LeasedRun {
  thread_id: string;
  trace_id: string;
}

export interface LeaseOptions {
  /** Seconds after which others may take the run over when this process is not heard of, 5 to 3600. Default: 60. */
  ttlSeconds?: number;
  /** Names this process and no other: the same name gets the same lease. Default: a new one for each client. */
  holder?: string;
  /** The current fence, where an earlier holder has handed the run over. */
  fence?: number;
  /** Ends the wait for the API. */
  signal?: AbortSignal;
}

/** The lease of a run that this client holds. */
export interface RunLease {
  readonly fence: number;
  /** Aborts when another process has taken the run over: stop working on it. */
  readonly lost: AbortSignal;
  /** Delivers what was reported, then gives the run back, so that others may go on with it at once. While the API is down it waits. */
  release(signal?: AbortSignal): Promise<void>;
}

interface Held {
  run: LeasedRun;
  fence: number;
  renewal: LeaseRenewal;
  /** The run's trace and those of the runs below it, as far as they were reported here. */
  traces: Set<string>;
}

/** The leases of one client: renews them, and knows which reports are of leased runs. */
export class LeaseKeeper {
  private readonly holder = `${os.hostname().slice(0, 100)} ${process.pid} ${randomUUID()}`;
  private readonly held = new Set<Held>();

  /** @param deliver waits until everything was delivered that was reported so far */
  constructor(
    private readonly connection: ApiConnection,
    private readonly requests: PatientRequests,
    private readonly deliver: (signal?: AbortSignal) => Promise<void>,
    private readonly onLost: (run: LeasedRun) => void,
  ) {}

  /** @throws LeaseHeldError; ApiRefusalError, also where the fence that was given is not the current one */
  async claim(run: LeasedRun & { agent_id: string }, options: LeaseOptions): Promise<RunLease> {
    // What was reported without a fence would be refused.
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

  /** The fence of the run that a report is of, or that one below it is; null where it is not leased here. */
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

  /** Looks at once whether the leases are still there: a report was refused. */
  check(): void {
    for (const { renewal } of this.held) renewal.check();
  }

  /** Gives all of them back. Does not wait for an API that is away: they run out. */
  async releaseAll(): Promise<void> {
    await Promise.allSettled([...this.held].map((one) => this.giveBack(one)));
  }

  /** Renews them no longer. */
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
    // Whatever else the API says, it is not this client's any more.
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
      throw new ApiRefusalError(response.status, `the lease was refused: ${response.detail}`);
  }
}
