import { Injectable } from '@nestjs/common';
import { agentNotAllowed } from '../../../common/bound-agents.js';
import { Clock, isoTime } from '../../../common/clock.js';
import { idFault } from '../../../common/id-fault.js';
import { DomainError, invalidField } from '../../../common/domain-error.js';
import type { RunOfToken } from '../../../common/principal.js';
import { Database, type SqlReader } from '../../../database/database.js';
import { Reporter } from '../bindings/reporter.js';
import { matchRun } from '../bindings/run-matching.js';
import { ServerThreadsService } from '../bindings/server-threads.service.js';
import type { CallerRow } from './store/journal.repository.js';
import { leaseOf, leaseOfFutureRun } from '../leases/lease-lookup.js';
import { decideLease, isLive, nextFence, type LeaseClaim } from '../leases/lease-rule.js';
import type { RunLease } from '../leases/run-lease.entity.js';
import { JournalRepository } from './store/journal.repository.js';
import { notOfTokensRun, threadNotAllowed } from './recording/event-permission.js';
import { staleFence } from './recording/run-fences.js';
import type { ThreadDraft } from './store/thread-draft.js';
import { ThreadJournal, type UnitOfWork } from './thread-journal.service.js';

export type { LeaseClaim };

const JOB_BYTES = 2_000;

export interface LeaseAddress {
  threadId: string;
  traceId: string;
  /** Null if the caller names none. */
  agentId: string | null;
  /** The agents that the caller may speak for; null for all. */
  allowedAgents: readonly string[] | null;
  /** The only run that the caller's token is for; null for any. */
  ownRun: RunOfToken | null;
}

export interface GrantedLease {
  /** False for a renewed lease. */
  isNew: boolean;
  fence: number;
  holder: string;
  expiresAtMs: number;
}

export interface LeaseView {
  holder: string;
  expiresAtMs: number;
  isLive: boolean;
}

interface Claimant {
  agentId: string | null;
  reporter: Reporter;
  fence: number | null;
  /** Accepts anybody's lease if the caller names no agent and has no run or lease of its own. */
  isAny: boolean;
}

interface RunToLease {
  run: CallerRow | null;
  lease: RunLease | null;
  leases: readonly RunLease[];
}

/** Decides which process may drive a run. Of racing claims on any servers, the first under the thread's lock wins. */
@Injectable()
export class RunLeasesService {
  constructor(
    private readonly journal: ThreadJournal,
    private readonly repository: JournalRepository,
    private readonly serverThreads: ServerThreadsService,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Grants the lease with a new fence, or renews it. Claiming a run of an unknown thread creates the thread, without a first report.
   * @throws DomainError `lease_held`, `stale_fence` (a late handover), `agent_not_allowed`
   */
  async claim(address: LeaseAddress, claim: LeaseClaim): Promise<GrantedLease> {
    const { threadId, traceId, allowedAgents } = address;
    assertId('thread_id', threadId);
    assertId('trace_id', traceId);
    assertOwnRun(address);
    const reporter = new Reporter(allowedAgents);
    const closed = reporter.isBound ? await this.serverThreads.closedTo(reporter, [threadId]) : null;
    const mayBeginRuns = !closed?.has(threadId);
    const { fence, isForced } = claim;
    const claimant = { agentId: address.agentId ?? reporter.onlyAgent, reporter, fence, isAny: isForced };
    const run = async (drafts: UnitOfWork) => {
      const draft = drafts.findOrCreate(threadId);
      const found = await findLocked(drafts, draft, traceId, claimant);
      const agentId = claimant.agentId ?? found.run?.agent_id ?? found.lease?.agent_id ?? null;
      assertAllowed(reporter, agentId);
      if (!found.run && !mayBeginRuns) throw threadNotAllowed();
      const shared = address.ownRun && found.lease && leaseOfToken(found.lease, address.ownRun);
      if (shared) return shared;
      const nowMs = await this.repository.leases.timeOf(drafts.reader, drafts.nowMs);
      const decision = decideLease(found.lease, claim, nowMs);
      if (decision === 'held') throw held(found.lease!);
      if (decision === 'stale') throw staleFence();
      if (decision === 'renew') return renewed(draft, found.lease!, claim, nowMs);
      const lease = newLease(draft, address, { ...found, agentId, reporter });
      return this.grant(drafts.reader, draft, { ...lease, ...termsOf(claim, nowMs) }, nowMs);
    };
    return this.journal.submit({ name: 'claim a lease', threadIds: [threadId], bytes: JOB_BYTES, run });
  }

  /**
   * Releases the lease, so that reports without a fence count again. Does nothing if already released.
   * @throws DomainError `lease_not_found`; `stale_fence` if the fence is not current
   */
  async release(address: LeaseAddress, fence: number): Promise<void> {
    const { threadId, traceId, allowedAgents } = address;
    if (threadId.includes('\0') || traceId.includes('\0')) throw leaseNotFound();
    assertOwnRun(address);
    // The token's creator holds the lease and releases it.
    if (address.ownRun?.fence === fence) return;
    const reporter = new Reporter(allowedAgents);
    const run = async (drafts: UnitOfWork) => {
      const draft = drafts.find(threadId);
      if (!draft) throw leaseNotFound();
      const reader = drafts.readerOf(draft);
      const all = await reader.leasesOf(traceId, true);
      const own = all.filter(({ agent_id }) => mayLease(reporter, agent_id));
      const lease = own.find((one) => one.fence === fence);
      if (!lease) throw own.length === 0 ? leaseNotFound() : staleFence();
      if (lease.released_at !== null) return;
      const nowMs = await this.repository.leases.timeOf(drafts.reader, drafts.nowMs);
      draft.leases.put({ ...lease, released_at: nowMs });
      draft.makeKnown();
    };
    await this.journal.submit({ name: 'release a lease', threadIds: [threadId], bytes: JOB_BYTES, run });
  }

  /** @throws DomainError `lease_not_found`, also for a released one */
  async get(address: LeaseAddress): Promise<LeaseView> {
    const { threadId, traceId, agentId, allowedAgents } = address;
    assertOwnRun(address);
    if (threadId.includes('\0') || traceId.includes('\0')) throw leaseNotFound();
    const reporter = new Reporter(allowedAgents);
    const { reader } = this.database;
    const pk = await this.repository.leases.leasedThread(reader, threadId);
    const leases = pk === null ? [] : await this.repository.leases.ofTraces(reader, pk, [traceId]);
    const runs = pk === null ? [] : await this.repository.runsByTraces(reader, pk, [traceId]);
    const claimant = { agentId: agentId ?? reporter.onlyAgent, reporter, fence: null, isAny: true };
    const { lease } = leaseMeant(runs, leases, claimant);
    if (!lease || lease.released_at !== null) throw leaseNotFound();
    // By the same clock as claims: a lease reported as expired can be claimed.
    const nowMs = await this.repository.leases.timeOf(reader, this.clock.nowMs());
    return { holder: lease.holder, expiresAtMs: lease.expires_at, isLive: isLive(lease, nowMs) };
  }

  private async grant(
    reader: SqlReader,
    draft: ThreadDraft,
    lease: Omit<RunLease, 'fence'>,
    nowMs: number,
  ): Promise<GrantedLease> {
    // Deleted threads with this id may have had higher fences.
    const deleted = await this.repository.leases.lastFenceOfDeleted(reader, draft.row.id);
    const fence = nextFence(Math.max(draft.row.last_fence, deleted), nowMs);
    draft.row.last_fence = fence;
    draft.leases.put({ ...lease, fence });
    draft.makeKnown();
    return { isNew: true, fence, holder: lease.holder, expiresAtMs: lease.expires_at };
  }
}

async function findLocked(
  drafts: UnitOfWork,
  draft: ThreadDraft,
  traceId: string,
  claimant: Claimant,
): Promise<RunToLease> {
  const reader = drafts.readerOf(draft);
  const leases = await reader.leasesOf(traceId, true);
  return leaseMeant(await reader.ancestry.rowsOf(traceId), leases, claimant);
}

/** The run that the caller means or will begin, and its lease. */
function leaseMeant(
  runs: readonly CallerRow[],
  leases: readonly RunLease[],
  { agentId, reporter, fence, isAny }: Claimant,
): RunToLease {
  const own = leases.filter(({ agent_id }) => mayLease(reporter, agent_id));
  const of = (lease: RunLease) => ({ run: runs.find((run) => run.run_no === lease.run_no) ?? null, lease, leases });
  const named = own.find((lease) => lease.fence === fence);
  if (named) return of(named);
  const run = matchRun(runs, { kind: 'started', agentId }, reporter);
  const lease = run ? leaseOf(leases, run) : leaseOfFutureRun(leases, agentId, reporter);
  const only = own.filter(({ released_at }) => released_at === null).at(-1);
  return isAny && !run && !lease && agentId === null && only ? of(only) : { run, lease, leases };
}

/**
 * The lease that a token was made under, for a program that leases its run itself under an agent process. Renews nothing.
 * @throws DomainError `stale_fence`
 */
function leaseOfToken(lease: RunLease, own: RunOfToken): GrantedLease {
  if (lease.released_at !== null || lease.fence !== own.fence) throw staleFence();
  return { isNew: false, fence: lease.fence, holder: lease.holder, expiresAtMs: lease.expires_at };
}

/** Even if it had expired, nobody else has held it since. */
function renewed(draft: ThreadDraft, lease: RunLease, claim: LeaseClaim, nowMs: number): GrantedLease {
  const lapsed = isLive(lease, nowMs) ? lease.lapsed_at : Math.min(lease.expires_at, nowMs);
  const { expires_at, ttl_ms } = termsOf(claim, nowMs);
  // Readers see no change and the fence stays, so this takes no change number and wakes nobody.
  draft.leases.put({ ...lease, expires_at, ttl_ms, lapsed_at: lapsed });
  return { isNew: false, fence: lease.fence, holder: lease.holder, expiresAtMs: expires_at };
}

function newLease(
  draft: ThreadDraft,
  { traceId }: LeaseAddress,
  { run, lease, leases, agentId, reporter }: RunToLease & { agentId: string | null; reporter: Reporter },
) {
  const place = lease ?? { lease_no: leases.length + 1, run_no: run?.run_no ?? 0, agent_id: agentId };
  return {
    thread_pk: draft.pk,
    trace_id: traceId,
    lease_no: place.lease_no,
    run_no: place.run_no,
    agent_id: run?.agent_id ?? place.agent_id,
    began_by: run ? run.began_by : (lease?.began_by ?? reporter.binding),
  };
}

function termsOf({ holder, ttlMs }: LeaseClaim, nowMs: number) {
  const terms = { holder, ttl_ms: ttlMs, expires_at: nowMs + ttlMs };
  return { ...terms, claimed_at: nowMs, released_at: null, lapsed_at: null };
}

function mayLease(reporter: Reporter, agentId: string | null): boolean {
  return agentId === null ? !reporter.isBound : reporter.maySpeakFor(agentId);
}

function assertAllowed(reporter: Reporter, agentId: string | null): void {
  if (mayLease(reporter, agentId)) return;
  if (agentId !== null) throw agentNotAllowed(agentId, 'lease runs of');
  throw new DomainError('forbidden', 'agent_not_allowed', 'agent_id: the token must name one of its agents.');
}

function assertId(path: string, id: string): void {
  const fault = idFault(id);
  if (fault !== null) throw invalidField(path, fault);
}

function assertOwnRun({ threadId, traceId, ownRun }: LeaseAddress): void {
  if (ownRun !== null && (ownRun.threadId !== threadId || ownRun.traceId !== traceId)) throw notOfTokensRun(ownRun);
}

function held({ holder, expires_at }: RunLease): DomainError {
  const expiresAt = isoTime(expires_at);
  const message = `${holder} holds the lease until ${expiresAt}.`;
  return new DomainError('conflict', 'lease_held', message, { extensions: { holder, expires_at: expiresAt } });
}

function leaseNotFound(): DomainError {
  return new DomainError('not_found', 'lease_not_found', 'This run has no lease.');
}
