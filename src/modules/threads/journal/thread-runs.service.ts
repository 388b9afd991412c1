import { Injectable } from '@nestjs/common';
import { agentNotAllowed } from '../../../common/bound-agents.js';
import type { RunOfToken } from '../../../common/principal.js';
import { Database } from '../../../database/database.js';
import { Reporter } from '../bindings/reporter.js';
import { matchRun, UNKNOWN_AGENT } from '../bindings/run-matching.js';
import { ServerThreadsService } from '../bindings/server-threads.service.js';
import { NOT_STARTED } from '../entities/thread.entity.js';
import { leaseNowOf, type LeasedClaim } from '../leases/claim-lease.js';
import { isLive } from '../leases/lease-rule.js';
import type { RunLease } from '../leases/run-lease.entity.js';
import { assertAllowed, notOfTokensThread, threadNotAllowed } from './recording/event-permission.js';
import { JournalRepository } from './store/journal.repository.js';
import { ClaimAncestry } from './store/claim-ancestry.js';
import { RunFences } from './recording/run-fences.js';
import type { ThreadReader } from './store/thread-reader.js';
import type { UnitOfWork } from './store/unit-of-work.js';

export interface RunAddress {
  threadId: string;
  traceId: string;
  /** Null if not given: then the run's. */
  agentId: string | null;
  fence: number | null;
  /** The agents that the caller may speak for; null for all. */
  allowedAgents: readonly string[] | null;
  /** The only run that the caller's token is for, with its sub-runs; null for any. */
  ownRun: RunOfToken | null;
  /** Whether the caller may begin runs in the thread. */
  mayBegin: boolean;
}

export interface LockedRun {
  threadPk: number;
  traceId: string;
  runNo: number | null;
  /** The agent that the caller speaks for. */
  agentId: string;
  /** The caller may not drive the run: it has no current fence. */
  isStale: boolean;
  /** The trace of the run whose lease counts: this one or a caller; this one if none was ever leased. */
  leaseTrace: string;
  lease: LeaseState | null;
}

export interface LeaseState {
  fence: number;
  /** Null if it is over. */
  liveUntilMs: number | null;
  /** When it last ran out before a renewal; null for never. */
  lapsedAtMs: number | null;
}

/** A claim for a run, and the lease it was made under. */
export interface ClaimOfThread extends LeasedClaim {
  threadPk: number;
}

/** A locked thread in which another module keeps data beside the runs. */
export interface KeptThread {
  threadPk: number;
  agentId: string;
}

/** A change to what another module keeps for a run. */
export interface RunChange {
  type: string;
  /** JSON for the live streams. */
  data: string;
  runNo: number | null;
}

/** Runs for modules that keep data beside the journal, in its transactions. */
@Injectable()
export class ThreadRunsService {
  constructor(
    private readonly serverThreads: ServerThreadsService,
    private readonly repository: JournalRepository,
    private readonly database: Database,
  ) {}

  async mayBegin(threadId: string, allowedAgents: readonly string[] | null): Promise<boolean> {
    const reporter = new Reporter(allowedAgents);
    return !reporter.isBound || !(await this.serverThreads.closedTo(reporter, [threadId])).has(threadId);
  }

  /**
   * Finds the run, even before its first report; `tell` then creates its thread.
   * @throws DomainError `forbidden` if the caller may not speak for the agent or the run, or begin runs in the thread
   */
  async find(drafts: UnitOfWork, address: RunAddress): Promise<LockedRun> {
    const { threadId, traceId, allowedAgents, ownRun, mayBegin } = address;
    const reporter = new Reporter(allowedAgents);
    const draft = drafts.findOrCreate(threadId);
    const reader = drafts.readerOf(draft);
    const runs = await reader.runsOf(traceId);
    const words = { kind: 'note' as const, agentId: address.agentId };
    const runNo = matchRun(
      runs.map(({ row }) => row),
      words,
      reporter,
    )?.run_no;
    const run = runs.find(({ row }) => row.run_no === runNo) ?? null;
    const agentId = address.agentId ?? run?.row.agent_id ?? reporter.onlyAgent ?? UNKNOWN_AGENT;
    const said = { threadId, traceId, fields: { agent_id: agentId, parent_trace_id: null } };
    await assertAllowed(said, run, { reporter, mayBeginRuns: mayBegin, ownRun }, reader);
    const fences = new RunFences(draft, reader, reporter);
    const place = { traceId, agentId, parentTraceId: null };
    const fence = { fence: address.fence ?? ownRun?.fence ?? null, isImplied: address.fence === null };
    const isStale = await fences.isStale(run, place, fence);
    const leases = await fences.leasesFor(run, place);
    const counts = leases.find(({ released_at }) => released_at === null) ?? leases[0];
    const leaseTrace = counts?.trace_id ?? traceId;
    const lease = counts ? await this.freshState(drafts, reader, counts) : null;
    return { threadPk: draft.pk, traceId, runNo: runNo ?? null, agentId, isStale, leaseTrace, lease };
  }

  /**
   * Finds the thread and the agent for data kept beside the runs. The thread need not exist yet; `noteKept` creates it.
   * @throws DomainError `forbidden` if the caller may not speak for the agent, or begin runs in the thread
   */
  keeper(drafts: UnitOfWork, address: Omit<RunAddress, 'traceId' | 'fence'>): KeptThread {
    const { threadId, allowedAgents, ownRun, mayBegin } = address;
    const reporter = new Reporter(allowedAgents);
    const agentId = address.agentId ?? reporter.onlyAgent ?? UNKNOWN_AGENT;
    if (ownRun !== null && ownRun.threadId !== threadId) throw notOfTokensThread(ownRun);
    if (!reporter.maySpeakFor(agentId)) throw agentNotAllowed(agentId);
    if (!mayBegin) throw threadNotAllowed();
    return { threadPk: drafts.findOrCreate(threadId).pk, agentId };
  }

  /** Records that data beside the runs changed, so that retention does not take the thread for an old one. */
  noteKept(drafts: UnitOfWork, threadId: string): void {
    const draft = drafts.findOrCreate(threadId);
    if (draft.isNew || draft.row.started_at === NOT_STARTED) draft.makeKnown();
    else draft.nextSeq();
  }

  pkOf(drafts: UnitOfWork, threadId: string): number | null {
    return drafts.find(threadId)?.pk ?? null;
  }

  /** The lease that counts now for a claim's run, under the thread's lock; null for none. */
  async leaseUnderLock(drafts: UnitOfWork, threadId: string, claim: LeasedClaim): Promise<LeaseState | null> {
    const draft = drafts.find(threadId);
    if (!draft || draft.row.last_fence === 0) return null;
    const reader = drafts.readerOf(draft);
    const leasesOf = async (traceId: string) => reader.leasesOf(traceId, true);
    const lease = await leaseNowOf(claim, (traceId) => reader.ancestry.rowsOf(traceId), leasesOf);
    return lease && stateOf(lease, await this.repository.leases.timeOf(drafts.reader, drafts.nowMs));
  }

  /** The same for claims of any threads, as committed. */
  async leasesNow(claims: readonly ClaimOfThread[], nowMs: number): Promise<(LeaseState | null)[]> {
    const ancestry = await ClaimAncestry.load(this.database.reader, this.repository, claims);
    return Promise.all(
      claims.map(async (claim) => {
        const lease = await leaseNowOf(claim, ancestry.runsOf(claim.threadPk), ancestry.leasesOf(claim.threadPk));
        return lease && stateOf(lease, nowMs);
      }),
    );
  }

  /** Adds a change to the thread's event log and live streams, without news of the run. Returns the number of the change in the thread. */
  tell(drafts: UnitOfWork, threadId: string, { type, data, runNo }: RunChange): number {
    const draft = drafts.findOrCreate(threadId);
    draft.makeKnown();
    draft.addEvent({ kind: 'effect', type, data, run_no: runNo, step_index: null }, false);
    return draft.row.last_seq;
  }

  /** Includes other servers' renewals since it was read. */
  private async freshState(
    drafts: UnitOfWork,
    reader: ThreadReader,
    { trace_id, fence }: RunLease,
  ): Promise<LeaseState | null> {
    const leases = await reader.leasesOf(trace_id, true);
    const lease = leases.find((one) => one.fence === fence);
    return lease ? stateOf(lease, await this.repository.leases.timeOf(drafts.reader, drafts.nowMs)) : null;
  }
}

function stateOf(lease: RunLease, nowMs: number): LeaseState {
  const { fence, expires_at, lapsed_at } = lease;
  return { fence, liveUntilMs: isLive(lease, nowMs) ? expires_at : null, lapsedAtMs: lapsed_at };
}
