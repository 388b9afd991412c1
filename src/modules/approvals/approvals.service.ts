import { Injectable } from '@nestjs/common';
import { DomainError } from '../../common/domain-error.js';
import { decodeCursor, encodeCursor } from '../../common/pagination.js';
import type { Piece } from '../../common/piece.js';
import { deciderOf, type Principal } from '../../common/principal.js';
import { ThreadJournal, type UnitOfWork } from '../threads/journal/thread-journal.service.js';
import { PendingToolCallsService } from '../threads/journal/pending-tool-calls.service.js';
import type { Approval } from './approval.entity.js';
import { nextReminder } from './approval-draft.js';
import { approvalJson, decidedJson, outcomeOf } from './approval-view.js';
import { ambiguousApproval, approvalClosed, approvalNotFound, staleDigest } from './approvals.errors.js';
import {
  ApprovalsRepository,
  type ApprovalAddress,
  type ApprovalFilter,
  type ApprovalPosition,
} from './approvals.repository.js';
import { defaultDecisions } from './decision/answer.js';
import { isSameDecision, statusOf, type KeptDecision } from './decision/decision.js';
import { decisionsOf, judge, termsOfCalls, type AnyCommand } from './decision/judgement.js';

/** The fields of the record that a decision sets. */
type Verdict = Pick<Approval, 'status' | 'decisions' | 'verb' | 'reason' | 'decided_by' | 'decided_through'>;

const CURSOR = 'approvals';
const CURSOR_OF_DECIDED = 'decided-approvals';
const JOB_BYTES = 2_000;

/** Lists and decides approvals. Of racing decisions, the first under the thread's lock wins. */
@Injectable()
export class ApprovalsService {
  constructor(
    private readonly approvals: ApprovalsRepository,
    private readonly journal: ThreadJournal,
    private readonly calls: PendingToolCallsService,
  ) {}

  /**
   * The page as JSON, one record at a time; skips records deleted meanwhile.
   * @throws DomainError `invalid` for a cursor of another list, before the first piece
   */
  async *list(filter: ApprovalFilter, limit: number, cursor: string | null, hasTotal: boolean): AsyncGenerator<Piece> {
    const isDecided = filter.status === 'decided';
    const kind = isDecided ? CURSOR_OF_DECIDED : CURSOR;
    const after = cursor === null ? null : positionOf(kind, cursor);
    const rows = await this.approvals.list(filter, after, limit + 1);
    const page = rows.slice(0, limit);
    const last = rows.length > limit ? page.at(-1) : undefined;
    const next = last
      ? encodeCursor(kind, [isDecided ? last.changed_at : last.created_at, last.thread_pk, last.seq])
      : null;
    const total = hasTotal ? `,"total":${await this.approvals.count(filter)}` : '';
    yield '{"items":[';
    let count = 0;
    for (const row of page) {
      const approval = await this.approvals.whole(row);
      if (approval) yield `${count++ > 0 ? ',' : ''}${approvalJson(approval)}`;
    }
    yield `],"next_cursor":${JSON.stringify(next)}${total}}`;
  }

  /**
   * The record as JSON text; if several have the address, the pending one, otherwise the newest.
   * @param seenBy the agents that the caller's token is bound to; null for none
   * @throws DomainError `not_found`
   */
  async get(address: ApprovalAddress, seenBy: readonly string[] | null): Promise<string> {
    const [found] = await this.approvals.findByAddress(address, null, seenBy);
    const approval = found && (await this.approvals.whole(found));
    if (!approval) throw approvalNotFound();
    return approvalJson(approval);
  }

  /**
   * Decides and returns the record as JSON text. Repeating the decision changes nothing and returns the same record.
   * @param through how the decision was made, for the record
   * @throws DomainError `not_found`; `conflict` if it is closed, ambiguous or stale, or if the calls or the agent's features do not allow
   * the decision; `invalid`
   */
  async decide(address: ApprovalAddress, command: AnyCommand, through: string): Promise<string> {
    const chosen = await this.choose(address, command.digest);
    const approval = await this.journal.submit({
      ...jobOn(chosen, 'decide tool calls'),
      run: (unitOfWork) => this.decideLocked(unitOfWork, chosen, command, through),
    });
    if (approval.verb !== command.verb) throw approvalClosed(approval);
    return decidedJson(approval);
  }

  /** The same for the caller of the API. @throws DomainError as `decide`; `invalid` for a name other than the session's */
  decideAs(caller: Principal, address: ApprovalAddress, command: AnyCommand): Promise<string> {
    const { by, through } = deciderOf(caller, command.decidedBy);
    return this.decide(address, { ...command, decidedBy: by }, through);
  }

  /** Closes an approval whose time is up, unless it was decided in time. Returns whether it was closed. */
  async expire(expired: Approval): Promise<boolean> {
    const run = async (unitOfWork: UnitOfWork) => {
      const approval = await this.approvals.find(unitOfWork.reader, expired);
      if (approval?.status !== 'pending' || !isDue(approval, unitOfWork.nowMs)) return false;
      await this.close(unitOfWork, approval, verdictOfTime(approval));
      return true;
    };
    return this.journal.submit({ ...jobOn(expired, 'expire tool calls'), run });
  }

  /** Reminds people of an approval that still waits, once per due time. Returns whether it did. */
  async remind(due: Approval): Promise<boolean> {
    const run = async (unitOfWork: UnitOfWork) => {
      const approval = await this.approvals.find(unitOfWork.reader, due);
      if (approval?.status !== 'pending' || !isReminderDue(approval, unitOfWork.nowMs)) return false;
      const reminded = approval.reminded + 1;
      if (!(await this.calls.remind(unitOfWork, approval, reminded))) return false;
      unitOfWork.write(this.approvals.remindStatement(remindedApproval(approval, reminded, unitOfWork.nowMs)));
      return true;
    };
    return this.journal.submit({ ...jobOn(due, 'remind of tool calls'), run });
  }

  private async choose(address: ApprovalAddress, digest: string | null): Promise<Approval> {
    const meant = await this.approvals.findByAddress(address, digest);
    if (meant.length === 0) throw await this.noneMeant(address);
    const runs = new Set(meant.map(({ thread_pk, run_no }) => `${thread_pk}/${run_no}`));
    // The same calls in another attempt are what the person saw; those of another thread or run are not.
    const isUnclear = runs.size > 1 || (digest === null && meant.length > 1);
    if (isUnclear) throw ambiguousApproval(meant);
    return meant[0]!;
  }

  private async noneMeant(address: ApprovalAddress): Promise<DomainError> {
    const others = await this.approvals.findByAddress(address, null);
    return others.length === 0 ? approvalNotFound() : staleDigest(others);
  }

  /** The record with the decision, or with the outcome of the timeout if the decision came too late. */
  private async decideLocked(
    drafts: UnitOfWork,
    chosen: Approval,
    command: AnyCommand,
    through: string,
  ): Promise<Approval> {
    const approval = await this.approvals.find(drafts.reader, chosen);
    if (!approval) throw approvalNotFound();
    if (approval.verb === command.verb) return repeated(approval, command);
    if (approval.status !== 'pending') throw approvalClosed(approval);
    if (isDue(approval, drafts.nowMs)) return this.close(drafts, approval, verdictOfTime(approval));
    const decisions = judge(approval, command);
    return this.close(drafts, approval, {
      status: statusOf(decisions),
      decisions: JSON.stringify(decisions),
      verb: command.verb,
      reason: command.reason,
      decided_by: command.decidedBy,
      decided_through: through,
    });
  }

  private async close(drafts: UnitOfWork, approval: Approval, verdict: Verdict): Promise<Approval> {
    const closedNow = { decided_at: drafts.nowMs, changed_at: drafts.nowMs, remind_at: null };
    const closed: Approval = { ...approval, ...verdict, ...closedNow };
    if (!(await this.calls.decide(drafts, approval, outcomeOf(closed))))
      throw approvalClosed({ ...approval, status: 'superseded' });
    drafts.write(this.approvals.decideStatement(closed));
    return closed;
  }
}

/** The record of a repeated decision. A different decision by the same verb comes too late, like any other. */
function repeated(approval: Approval, command: AnyCommand): Approval {
  const taken = JSON.parse(approval.decisions ?? '[]') as KeptDecision[];
  if (!isSameDecision(taken, decisionsOf(command, termsOfCalls(approval)))) throw approvalClosed(approval);
  return approval;
}

/** A timeout never approves a call, but answers questions if each has a default or needs no answer. */
function verdictOfTime(approval: Approval): Verdict {
  const decisions = defaultDecisions(termsOfCalls(approval));
  return decisions === null ? EXPIRY : { ...DEFAULTS, decisions: JSON.stringify(decisions) };
}

const DEFAULTS: Verdict = {
  status: 'approved',
  decisions: null,
  verb: null,
  reason: 'Nobody answered in time: the defaults count.',
  decided_by: null,
  decided_through: 'default',
};

/** The agent sees an expiry as a rejection. */
const EXPIRY: Verdict = {
  status: 'expired',
  decisions: null,
  verb: null,
  reason: 'Nobody decided in time.',
  decided_by: null,
  decided_through: 'expiry',
};

function jobOn({ thread_id: threadId }: Approval, name: string) {
  return { name, threadIds: [threadId], bytes: JOB_BYTES, isAlone: true };
}

/** Whether its time is up, even if it is not closed yet. */
function isDue({ expires_at }: Approval, nowMs: number): boolean {
  return expires_at !== null && expires_at <= nowMs;
}

/** An approval that expires now needs no reminder. */
function isReminderDue(approval: Approval, nowMs: number): boolean {
  return approval.remind_at !== null && approval.remind_at <= nowMs && !isDue(approval, nowMs);
}

function remindedApproval(approval: Approval, reminded: number, nowMs: number): Approval {
  const reminders = JSON.parse(approval.reminders ?? '[]') as number[];
  return { ...approval, reminded, remind_at: nextReminder(approval.created_at, reminders, nowMs), changed_at: nowMs };
}

function positionOf(kind: string, cursor: string): ApprovalPosition {
  const [time, thread_pk, seq] = decodeCursor(kind, cursor, ['bigint', 'integer', 'integer']) as number[];
  return { time: time!, thread_pk: thread_pk!, seq: seq! };
}
