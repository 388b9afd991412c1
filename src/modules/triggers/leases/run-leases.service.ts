import { randomUUID } from 'node:crypto';
import os from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { API_BACKOFF } from '../../../client/api-connection.js';
import { LeaseRenewal } from '../../../client/lease-renewal.js';
import {
  isUnsent,
  leasePath,
  readLeaseResponse,
  renewalFence,
  type LeaseResponse,
} from '../../../client/lease-requests.js';
import { Backoff } from '../../../common/backoff.js';
import { Logger } from '../../../common/logger.js';
import { ProcessApi } from '../reporter/process-api.service.js';
import { Reporter } from '../reporter/reporter.service.js';
import { RunSettings } from '../run-settings.js';

const RESPONSE_MS = 10_000;
/** Longest wait before asking again for a lease that somebody else holds: it may be released early. */
const LONGEST_WAIT_MS = 5_000;
const SHORTEST_WAIT_MS = 200;
/** While the API is away. */
const AWAY_WAIT_MS = 2_000;

/** A run, and the last fence under which this process has driven it; null for none. */
export interface LeasedRun {
  readonly run_id: string;
  readonly thread_id: string;
  readonly agent_name: string;
  readonly fence: number | null;
  /** The name under which the lease is being claimed, possibly since before a restart; null if no claim was noted. */
  readonly holder: string | null;
}

export type LeaseClaim =
  | { kind: 'held'; fence: number }
  /** Somebody else drives the run now. */
  | { kind: 'busy'; waitMs: number }
  /** Somebody else has had the run since this process was restarted. */
  | { kind: 'taken' }
  /** The run continues without a lease: the API is away, has none, or grants this process none. */
  | { kind: 'none' };

export interface ClaimOptions {
  signal: AbortSignal;
  /** The result of `RunLeases.mayBeHeld` before this claim was noted. */
  mayBeHeld: boolean;
}

interface Holding {
  readonly renewal: LeaseRenewal;
  readonly lost: AbortController;
}

/**
 * This process's leases: only one process drives a run at a time, and others' reports for it are refused. Each is renewed until it is
 * released or lost.
 */
@Injectable()
export class RunLeases implements OnApplicationShutdown {
  /** A restarted process is a new holder: it takes over with the stored fences. Only an unfinished claim is repeated under its old name. */
  readonly holder = `agent ${os.hostname().slice(0, 100)} ${randomUUID()}`;
  private readonly held = new Map<string, Holding>();
  /** Runs that somebody else drove when the API last answered. */
  private readonly elsewhere = new Set<string>();
  /** Releases in progress: they must not hit the next claim. */
  private readonly releasing = new Map<string, Promise<boolean>>();

  constructor(
    private readonly api: ProcessApi,
    private readonly settings: RunSettings,
    reporter: Reporter,
    private readonly logger: Logger,
  ) {
    reporter.onStale = (traceId) => this.held.get(traceId)?.renewal.check();
  }

  /** Not earlier: until then, runs finish, and nobody else may begin them. */
  onApplicationShutdown(): void {
    for (const runId of [...this.held.keys()]) this.forget(runId);
  }

  /** Whether the run may already have a lease of this process or its predecessor: a claim was noted and not certainly refused. */
  mayBeHeld({ run_id, fence, holder }: LeasedRun): boolean {
    return fence !== null || (holder !== null && !this.elsewhere.has(run_id));
  }

  /**
   * Claims a run's lease, with the row's fence as a handover. The claim's name must be stored before. A claim that may have reached the API
   * is repeated until there is an answer: without its lease's fence, a run would be refused.
   * @throws the reason of `signal` when it aborts
   */
  async claim(run: LeasedRun, { signal, mayBeHeld: wasHeld }: ClaimOptions): Promise<LeaseClaim> {
    await this.releasing.get(run.run_id);
    const backoff = new Backoff(API_BACKOFF);
    let mayBeHeld = wasHeld;
    for (;;) {
      signal.throwIfAborted();
      try {
        const response = await this.ask(run, run.fence, signal);
        if (response.kind !== 'later') return this.noteClaim(run, response);
        mayBeHeld = true;
      } catch (error) {
        mayBeHeld ||= !isUnsent(error);
        if (!mayBeHeld) return this.whileAway(run);
      }
      await sleep(backoff.next(), undefined, { signal }).catch(() => undefined);
    }
  }

  /**
   * What applies while the API is away: the run continues without a lease, unless somebody else had it: it would run beside theirs, and all
   * its reports would be refused, even after their lease ends.
   */
  whileAway({ run_id }: LeasedRun): LeaseClaim {
    return this.elsewhere.has(run_id) ? { kind: 'busy', waitMs: AWAY_WAIT_MS } : { kind: 'none' };
  }

  isHeld(runId: string): boolean {
    return this.held.has(runId);
  }

  /** Aborts when somebody else has taken over the run. Never for a run without a lease. */
  lossOf(runId: string): AbortSignal {
    return this.held.get(runId)?.lost.signal ?? new AbortController().signal;
  }

  /**
   * Releases the lease. Returns false to try again later.
   * @param isStillDue called at the last moment: the run may have been resumed
   */
  release(run: LeasedRun, isStillDue: () => Promise<boolean>): Promise<boolean> {
    const work = this.giveBack(run, isStillDue).finally(() => this.releasing.delete(run.run_id));
    this.releasing.set(run.run_id, work);
    return work;
  }

  /** Stops renewing it: it expires, or is handed over to this process after a restart. */
  forget(runId: string): void {
    this.held.get(runId)?.renewal.stop();
    this.held.delete(runId);
  }

  private async giveBack(run: LeasedRun, isStillDue: () => Promise<boolean>): Promise<boolean> {
    if (!(await isStillDue())) return true;
    this.forget(run.run_id);
    const path = `${leasePath(run.thread_id, run.run_id)}?fence=${run.fence}`;
    try {
      const { status } = await this.api.send(path, { method: 'DELETE', timeoutMs: RESPONSE_MS });
      return status < 500 && status !== 408 && status !== 429;
    } catch {
      return false;
    }
  }

  private async ask(run: LeasedRun, fence: number | null, signal?: AbortSignal): Promise<LeaseResponse> {
    const holder = run.holder ?? this.holder;
    const claim = { holder, agent_id: run.agent_name, ttl_seconds: this.settings.leaseTtlSeconds, fence };
    const options = { method: 'POST' as const, body: JSON.stringify(claim), timeoutMs: RESPONSE_MS, signal };
    return readLeaseResponse(await this.api.send(leasePath(run.thread_id, run.run_id), options));
  }

  private noteClaim(run: LeasedRun, response: Exclude<LeaseResponse, { kind: 'later' }>): LeaseClaim {
    this.elsewhere.delete(run.run_id);
    switch (response.kind) {
      case 'held':
        this.forget(run.run_id);
        this.hold(run, response.fence);
        return response;
      case 'busy': {
        if (run.fence !== null) return { kind: 'taken' };
        this.elsewhere.add(run.run_id);
        const waitMs = Math.min(Math.max(response.expiresAtMs - Date.now(), SHORTEST_WAIT_MS), LONGEST_WAIT_MS);
        return { kind: 'busy', waitMs };
      }
      case 'stale':
        return { kind: 'taken' };
      case 'refused':
        this.logger.debug({ status: response.status, trace_id: run.run_id }, 'the API refused a lease for the run');
        return { kind: 'none' };
    }
  }

  private hold({ run_id, thread_id, agent_name, holder }: LeasedRun, fence: number): void {
    // The current values: the name is cleared once the fence is stored.
    const run = { run_id, thread_id, agent_name, fence, holder };
    const lost = new AbortController();
    const renewal = new LeaseRenewal({
      fence,
      ttlMs: this.settings.leaseTtlSeconds * 1000,
      claim: () => this.ask(run, renewalFence(fence)),
      onLost: () => lost.abort(),
    });
    this.held.set(run_id, { renewal, lost });
  }
}
