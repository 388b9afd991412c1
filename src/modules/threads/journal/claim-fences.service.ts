import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { Database } from '../../../database/database.js';
import { Reporter } from '../bindings/reporter.js';
import { runMeant } from '../bindings/run-meant.js';
import type { NamedFence } from '../leases/fence-rule.js';
import { isLive } from '../leases/lease-rule.js';
import type { RunLease } from '../leases/run-lease.entity.js';
import { RunLeasesRepository } from '../leases/run-leases.repository.js';
import { RunFences } from './run-fences.js';
import type { UnitOfWork } from './unit-of-work.js';

/** The run that a claim is for, and who claims. The run need not be there yet. */
export interface ClaimedRun {
  threadId: string;
  traceId: string;
  agentId: string | null;
  /** The agents that the caller may speak for; null for all. */
  allowedAgents: readonly string[] | null;
}

/** A lease as modules see it that keep something of a run. */
export interface LeaseState {
  /** Of the run that has it. */
  traceId: string;
  fence: number;
  /** When it ends; null for one that is over: released, run out, or of no believable time. */
  liveUntilMs: number | null;
  /** When it last ran out before its holder renewed it; null for never. */
  lapsedAtMs: number | null;
}

/** What leases mean for a claim in a run. */
export interface ClaimFence {
  /** The caller may not drive the run. */
  isStale: boolean;
  /** The lease of the nearest run at or above that was ever leased, those that are held first; null for none. */
  lease: LeaseState | null;
}

/** Leases as modules need them that keep something of a run beside the journal. */
@Injectable()
export class ClaimFencesService {
  constructor(
    private readonly leases: RunLeasesRepository,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Under the thread's lock. @param fence that the claim names, or its token */
  async atClaim(drafts: UnitOfWork, claimed: ClaimedRun, fence: NamedFence): Promise<ClaimFence> {
    const { threadId, traceId, agentId, allowedAgents } = claimed;
    const reporter = new Reporter(allowedAgents);
    const draft = drafts.findOrCreate(threadId);
    const stored = drafts.storedRowsOf(draft);
    const fences = new RunFences(draft, stored, reporter);
    const words = { traceId, agentId, parentTraceId: null };
    const { isStale, lease } = await stored.find(() => {
      const runs = stored.runsOf(traceId);
      const no = runMeant(
        runs.map(({ row }) => row),
        { kind: 'checkpoint', agentId },
        reporter,
      )?.run_no;
      const run = runs.find(({ row }) => row.run_no === no) ?? null;
      return { isStale: fences.isStale(run, words, fence), lease: governing(fences.leasesFor(run, words)) };
    });
    if (!lease) return { isStale, lease: null };
    const [present] = (await this.ofTraceLocked(drafts, threadId, lease.trace_id)).filter(
      (one) => one.fence === lease.fence,
    );
    return { isStale, lease: present ?? null };
  }

  /** The leases of the runs with a trace, under the thread's lock. */
  async ofTraceLocked(drafts: UnitOfWork, threadId: string, traceId: string): Promise<LeaseState[]> {
    const draft = drafts.find(threadId);
    if (!draft || draft.row.last_fence === 0) return [];
    const stored = drafts.storedRowsOf(draft);
    const leases = await stored.find(() => stored.leasesOf(traceId, true));
    const nowMs = await this.leases.timeOf(drafts.reader, drafts.nowMs);
    return leases.map((lease) => stateOf(lease, nowMs));
  }

  /** The same as they are now, for several traces of a thread. */
  async ofTraces(threadPk: number, traceIds: readonly string[]): Promise<LeaseState[]> {
    if (traceIds.length === 0) return [];
    const reader = { query: this.database.read.bind(this.database) };
    const leases = await this.leases.ofTraces(reader, threadPk, traceIds);
    const nowMs = this.clock.nowMs();
    return leases.map((lease) => stateOf(lease, nowMs));
  }
}

function governing(leases: readonly RunLease[]): RunLease | null {
  return leases.find(({ released_at }) => released_at === null) ?? leases[0] ?? null;
}

function stateOf(lease: RunLease, nowMs: number): LeaseState {
  return {
    traceId: lease.trace_id,
    fence: lease.fence,
    liveUntilMs: isLive(lease, nowMs) ? lease.expires_at : null,
    lapsedAtMs: lease.lapsed_at,
  };
}
