import { Injectable } from '@nestjs/common';
import { isSameJson } from '../../common/same-json.js';
import { invalidField } from '../../common/domain-error.js';
import { idFault } from '../../common/id-fault.js';
import { deciderOf, type Principal } from '../../common/principal.js';
import { ThreadJournal, type UnitOfWork } from '../threads/journal/thread-journal.service.js';
import { ThreadRunsService, type LockedRun } from '../threads/journal/thread-runs.service.js';
import { threadNotFound } from '../threads/threads.contract.js';
import { EffectApprovalsService } from './effect-approvals.service.js';
import type { EffectClaim, EffectSettling } from './effect-body.js';
import type { Effect, SettledBy } from './effect.entity.js';
import { agentOf, OwnAgents, type EffectAddress } from './effect-identity.js';
import { EffectLeasesService } from './effect-leases.service.js';
import { decideClaim, decideSettling, differences, type ClaimedCall, type ClaimRefusal } from './effect-rules.js';
import { effectJson, effectSummary } from './effect-view.js';
import {
  ambiguousEffect,
  claimRefused,
  effectNotFound,
  effectSettled,
  notOfTokensThread,
  staleAttempt,
} from './effects.errors.js';
import { EffectsRepository } from './effects.repository.js';

export interface ClaimResponse {
  /** True to run the tool; false if it is completed. */
  isStarted: boolean;
  key: string;
  /** The record as JSON text. */
  body: string;
}

export type Settler = Pick<Principal, 'scope' | 'agentIds' | 'run' | 'name' | 'sessionId'>;

interface Refusal {
  code: ClaimRefusal;
  members: Record<string, unknown>;
}

/** A change of an effect, for those who follow the thread. */
interface EffectChange {
  type: string;
  isInDoubt: boolean;
  /** Null if unknown or irrelevant. */
  runNo: number | null;
}

const DOUBTED = { type: 'in_doubt', isInDoubt: true };

/** Memory that a job holds besides its texts. */
const JOB_BYTES = 4_000;

/** Claims and settles effects. Of racing claims, the first under the thread's lock wins. */
@Injectable()
export class EffectsService {
  constructor(
    private readonly effects: EffectsRepository,
    private readonly journal: ThreadJournal,
    private readonly runs: ThreadRunsService,
    private readonly leases: EffectLeasesService,
    private readonly approvals: EffectApprovalsService,
  ) {}

  /**
   * Claims an effect before its tool is called.
   * @throws DomainError `conflict` and `unprocessable` with the codes of `ClaimRefusal`; `forbidden`; `invalid`
   */
  async claim(threadId: string, claim: EffectClaim, { agentIds, run: ownRun }: Principal): Promise<ClaimResponse> {
    const fault = idFault(threadId);
    if (fault !== null) throw invalidField('thread_id', fault);
    const mayBegin = await this.runs.mayBegin(threadId, agentIds);
    const run = async (drafts: UnitOfWork) => {
      const { traceId, agentId, fence } = claim;
      const address = { threadId, traceId, agentId, fence, allowedAgents: agentIds, ownRun, mayBegin };
      return this.claimLocked(drafts, threadId, await this.runs.find(drafts, address), claim);
    };
    const bytes = JOB_BYTES + (claim.args?.length ?? 0);
    const job = { name: 'claim an effect', threadIds: [threadId], bytes, isAlone: true, run };
    const answer = await this.journal.submit(job);
    // Do not throw in the job: a refusal may have caused a doubt, which must be stored.
    if ('code' in answer) throw claimRefused(answer.code, answer.members);
    return answer;
  }

  /**
   * Settles an effect and returns it as JSON text. Repeating it changes nothing.
   * @throws DomainError `not_found`; `forbidden`; `conflict` for another attempt, another outcome, or an ambiguous key
   */
  async settle(address: EffectAddress, settling: EffectSettling, caller: Settler): Promise<string> {
    const { threadId } = address;
    if (threadId.includes('\0') || address.key.includes('\0')) throw effectNotFound();
    if (caller.run !== null && caller.run.threadId !== threadId) throw notOfTokensThread();
    const bytes = JOB_BYTES + (settling.result?.length ?? 0) + (settling.error?.length ?? 0);
    const said = { ...settling, decidedBy: deciderOf(caller, settling.decidedBy).by };
    const run = (drafts: UnitOfWork) => this.settleLocked(drafts, address, said, caller);
    return this.journal.submit({ name: 'settle an effect', threadIds: [threadId], bytes, isAlone: true, run });
  }

  private async claimLocked(
    drafts: UnitOfWork,
    threadId: string,
    run: LockedRun,
    claim: EffectClaim,
  ): Promise<ClaimResponse | Refusal> {
    const { reader } = drafts;
    const found = await this.effects.find(reader, run.threadPk, agentOf(run.agentId), claim.key);
    const doubt = found && (await this.leases.doubtUnderLock(drafts, found));
    const isInDoubt = doubt?.isInDoubt ?? false;
    const call: ClaimedCall = claim;
    const decision = decideClaim(found, call, {
      claimId: claim.claimId,
      isFenceStale: run.isStale,
      approval: await this.approvals.verdictOn(reader, run, claim),
      isInDoubt,
    });
    if (decision.outcome === 'start') {
      const started = startedBy(claim, { drafts, threadId, run, attempt: decision.attempt, found });
      const stored = this.store(drafts, started, { type: 'started', runNo: run.runNo, isInDoubt: false });
      return { isStarted: true, key: claim.key, body: effectJson(stored, false) };
    }
    if (decision.outcome !== 'refuse') {
      return { isStarted: decision.outcome === 'repeat', key: claim.key, body: effectJson(found!, isInDoubt) };
    }
    const { code } = decision;
    if (found && decision.meets) {
      const met = this.store(drafts, { ...found, is_met: true }, { ...DOUBTED, runNo: run.runNo });
      return { code, members: { effect: effectSummary(met, true) } };
    }
    const members = {
      ...(found && code !== 'stale_fence' && { effect: effectSummary(found, isInDoubt) }),
      ...(code === 'effect_mismatch' && { differs: differences(found!, call) }),
    };
    return { code, members };
  }

  private async settleLocked(
    drafts: UnitOfWork,
    address: EffectAddress,
    settling: EffectSettling,
    caller: Settler,
  ): Promise<string> {
    const found = await this.meant(drafts, address, caller);
    const { isInDoubt } = await this.leases.doubtUnderLock(drafts, found);
    const by = settledBy(found, settling, caller);
    const decision = decideSettling(found, { ...settling, by }, isSameJson);
    if (decision.outcome === 'repeat') return effectJson(found, isInDoubt);
    if (decision.outcome === 'refuse') {
      throw decision.code === 'stale_attempt' ? staleAttempt(found, isInDoubt) : effectSettled(found);
    }
    const { result, resultOmitted, error, reason } = settling;
    // A reporting token cannot claim that a person decided.
    const decidedBy = caller.scope === 'runner' ? null : settling.decidedBy;
    const said = { error, reason, decided_by: decidedBy };
    if (decision.outcome === 'doubt') {
      const doubted: Effect = { ...found, ...said, is_unknown: true };
      const change = found.kind === 'write' ? DOUBTED : { type: 'started', isInDoubt: false };
      return effectJson(this.store(drafts, doubted, { ...change, runNo: null }), change.isInDoubt);
    }
    const settled: Effect = {
      ...{ ...found, ...said, result, result_omitted: resultOmitted },
      ...{ state: decision.state, settled_at: drafts.nowMs, settled_by: by },
    };
    const change = { type: decision.state, isInDoubt: false, runNo: null };
    return effectJson(this.store(drafts, settled, change), false);
  }

  private async meant(drafts: UnitOfWork, address: EffectAddress, { agentIds }: Settler): Promise<Effect> {
    const threadPk = this.runs.pkOf(drafts, address.threadId);
    if (threadPk === null) throw threadNotFound();
    return oneOf(await this.effects.findByKey(drafts.reader, threadPk, address.key), address.agentId, agentIds);
  }

  private store(drafts: UnitOfWork, changed: Effect, { type, isInDoubt, runNo }: EffectChange): Effect {
    const effect: Effect = { ...changed, changed_at: drafts.nowMs };
    const data = JSON.stringify(effectSummary(effect, isInDoubt));
    const rev = this.runs.tell(drafts, effect.thread_id, { type, data, runNo });
    const stored = { ...effect, rev, seq: effect.seq === 0 ? rev : effect.seq };
    drafts.write(this.effects.saveStatement(stored));
    return stored;
  }
}

/**
 * The only effect among those with a key.
 * @throws DomainError `not_found`; `conflict` if several agents have one
 */
export function oneOf(
  effects: readonly Effect[],
  agentId: string | null,
  allowedAgents: readonly string[] | null,
): Effect {
  const own = new OwnAgents(allowedAgents);
  const meant = effects.filter(({ agent }) => own.has(agent) && (agentId === null || agent === agentOf(agentId)));
  const [first, another] = meant;
  if (!first) throw effectNotFound();
  if (another) throw ambiguousEffect(meant.map(({ agent }) => agent));
  return first;
}

/** A settlement by a person, or with another claim's id, is not the holder's. */
function settledBy({ claim_id }: Effect, { claimId, decidedBy }: EffectSettling, { scope }: Settler): SettledBy {
  if (claimId !== null) return claimId === claim_id ? 'claim' : 'other';
  const isPerson = scope === 'approver' || (scope !== 'runner' && decidedBy !== null);
  return isPerson ? 'other' : 'holder';
}

interface Start {
  drafts: UnitOfWork;
  threadId: string;
  run: LockedRun;
  attempt: number;
  found: Effect | null;
}

function startedBy(claim: EffectClaim, { drafts, threadId, run, attempt, found }: Start): Effect {
  return {
    thread_pk: run.threadPk,
    agent: agentOf(run.agentId),
    key: claim.key,
    seq: found?.seq ?? 0,
    rev: 0,
    thread_id: threadId,
    trace_id: run.traceId,
    agent_id: run.agentId,
    tool: claim.tool,
    kind: claim.kind,
    args: claim.args,
    args_digest: claim.argsDigest,
    call_id: claim.callId,
    state: 'started',
    attempt,
    claim_id: claim.claimId,
    holder: claim.holder,
    is_leased: (run.lease?.liveUntilMs ?? null) !== null,
    lease_trace: run.leaseTrace,
    fence: run.lease?.fence ?? null,
    doubt_after_seconds: claim.doubtAfterSeconds,
    is_unknown: false,
    is_met: false,
    started_at: drafts.nowMs,
    settled_at: null,
    settled_by: null,
    result: null,
    result_omitted: false,
    error: null,
    decided_by: null,
    reason: null,
    changed_at: drafts.nowMs,
  };
}
