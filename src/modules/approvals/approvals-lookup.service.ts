import { Injectable } from '@nestjs/common';
import type { AllowedDecision, Answers, Question } from '../../common/contract/questions.js';
import type { Approval, ApprovalKind, ApprovalStatus } from './approval.entity.js';
import type { SqlReader } from '../../database/database.js';
import { ApprovalsRepository, PENDING, type PagedApproval, type RunKey } from './approvals.repository.js';
import { termsOf } from './decision/call-terms.js';
import type { KeptDecision } from './decision/decision.js';
import { showCalls } from './decision/shown-calls.js';
import type { ToolCall } from './decision/tool-calls.js';

/** Approvals of a run read per query. */
const PAGE = 20;

/** Most approvals read per thread or run; a person could not act on more. */
const MAX_PENDING = 100;

/** Identifies an approval and one period in which it was open. */
export interface ApprovalIdentity {
  threadId: string;
  traceId: string;
  step: number;
  attempt: number;
  digest: string;
  openedAtMs: number;
}

/** A call as other features see it. */
export interface CallFacts {
  /** Null for a call of an unknown shape. */
  name: string | null;
  /** Exact JSON. */
  args: string;
  /** Absent for a call that asks no questions. */
  questions?: readonly Question[];
  /** The decisions that people may take on it; absent for no limit. */
  allowed?: readonly AllowedDecision[];
  /** Absent before it is answered. */
  answers?: Answers;
}

/** An approval as other features see it. */
export interface ApprovalFacts extends ApprovalIdentity {
  kind: ApprovalKind;
  parentTraceId: string | null;
  agentId: string;
  status: ApprovalStatus;
  calls: readonly CallFacts[];
  /** The calls are too large to show: `calls` is incomplete or truncated. */
  isCut: boolean;
  decidedBy: string | null;
  decidedThrough: string | null;
  /** How often people were reminded of it. */
  reminded: number;
}

/** Identifies where tool calls wait. */
export type WaitingPlace = Pick<ApprovalFacts, 'traceId' | 'parentTraceId' | 'agentId' | 'step'>;

/** Where tool calls wait. */
export interface WaitingCalls extends WaitingPlace {
  /** Several agents may have runs with the same trace. */
  runNo: number;
}

/** The decision on one tool call. */
export interface CallVerdict {
  /** The approval's status, or `rejected` if only this call was rejected. */
  status: ApprovalStatus;
  /** Exact JSON of the arguments to use; null if they were too large to show, or for an answered call, which allows no effect. */
  args: string | null;
  /** The only tool that may be called if a rule decided, because rules go by name; null if a person decided. */
  tool: string | null;
}

/** The state of one tool call. */
export interface CallState {
  status: ApprovalStatus;
  /** Keyed by question text; null if it was not answered. */
  answers: Answers | null;
}

/** The state of an approval's only tool call. */
export interface ApprovalState {
  threadPk: number;
  status: ApprovalStatus;
  /** Digest of the exact calls that people were asked about. */
  digest: string;
  /** Exact JSON of the arguments to use instead; null for the reported ones. */
  editedArgs: string | null;
  reason: string | null;
  decidedBy: string | null;
  /** Answers to its questions; null for another decision, or none. */
  answers: Answers | null;
}

/** Tells higher modules what waits and how it was decided. */
@Injectable()
export class ApprovalsLookupService {
  constructor(private readonly approvals: ApprovalsRepository) {}

  /** The pending approvals of a thread, oldest first. */
  async pendingOf(threadId: string): Promise<ApprovalFacts[]> {
    const facts: ApprovalFacts[] = [];
    for (const paged of await this.listPending(threadId)) {
      const approval = await this.approvals.whole(paged);
      if (approval) facts.push(toFacts(approval));
    }
    return facts;
  }

  /** The same without their calls. */
  async waitingOf(threadId: string): Promise<WaitingCalls[]> {
    return (await this.listPending(threadId)).map(toWaiting);
  }

  /**
   * The oldest pending approval of a thread that matches; null for none.
   * @param mayBe a first check before the calls, which may be long, are read
   */
  async oldestPending(
    threadId: string,
    mayBe: (waiting: WaitingCalls) => boolean,
    isMeant: (facts: ApprovalFacts) => boolean,
  ): Promise<ApprovalFacts | null> {
    for (const paged of await this.listPending(threadId)) {
      const approval = mayBe(toWaiting(paged)) ? await this.approvals.whole(paged) : null;
      const facts = approval && toFacts(approval);
      if (facts && isMeant(facts)) return facts;
    }
    return null;
  }

  /**
   * The decision on the call in the run's newest approval that contains it; null for none.
   * @param reader within a transaction that holds the thread's lock
   */
  async verdictOn(reader: SqlReader, run: RunKey, callId: string): Promise<CallVerdict | null> {
    for (let offset = 0; ; offset += PAGE) {
      const approvals = await this.approvals.ofRunWithCall(reader, run, callId, PAGE, offset);
      for (const paged of approvals) {
        const approval = await this.approvals.whole(paged, reader);
        const call = approval && showCalls(approval.tool_calls).calls.find(({ id }) => id === callId);
        if (call) return verdictIn(approval, call);
      }
      if (approvals.length < PAGE) return null;
    }
  }

  /** The state of each call with an id in a run's newest 100 approvals; the newest approval of a call counts. */
  async verdictsOf(run: RunKey): Promise<ReadonlyMap<string, CallState>> {
    const verdicts = new Map<string, CallState>();
    for (let offset = 0; offset < MAX_PENDING; offset += PAGE) {
      const approvals = await this.approvals.readOfRun(run, PAGE, offset);
      for (const paged of approvals) {
        const approval = await this.approvals.whole(paged);
        if (approval) addVerdicts(verdicts, approval);
      }
      if (approvals.length < PAGE) break;
    }
    return verdicts;
  }

  /** The state of the only call of a step; null if no approval has this address. */
  async stateAt({
    threadId,
    traceId,
    step,
  }: Pick<ApprovalIdentity, 'threadId' | 'traceId' | 'step'>): Promise<ApprovalState | null> {
    const [found] = await this.approvals.findByAddress({ threadId, traceId, step }, null);
    const approval = found && (await this.approvals.whole(found));
    if (!approval) return null;
    const { thread_pk: threadPk, status, digest, decided_by: decidedBy } = approval;
    const kept = keptOf(approval.decisions)[0];
    const reason = kept?.reason ?? approval.reason;
    const [editedArgs, answers] = [kept?.edited_args ?? null, kept?.answers ?? null];
    return { threadPk, status, digest, editedArgs, reason, decidedBy, answers };
  }

  /** Null if it was deleted with its thread, or reopened since. */
  async find({
    threadId,
    traceId,
    step,
    attempt,
    digest,
    openedAtMs,
  }: ApprovalIdentity): Promise<ApprovalFacts | null> {
    const found = await this.approvals.findByAddress({ traceId, step, threadId }, digest);
    const same = found.find((approval) => approval.attempt === attempt && Number(approval.created_at) === openedAtMs);
    const whole = same && (await this.approvals.whole(same));
    return whole ? toFacts(whole) : null;
  }

  private listPending(threadId: string): Promise<PagedApproval[]> {
    return this.approvals.list({ ...PENDING, threadId }, null, MAX_PENDING);
  }
}

function verdictIn({ status, decisions, rule_id }: Approval, { index, name, args, raw }: ToolCall): CallVerdict {
  const kept = keptOf(decisions)[index];
  const isRejected = status === 'approved' && kept?.decision === 'reject';
  const isKnown = raw !== 'null' && kept?.decision !== 'answer';
  return {
    status: isRejected ? 'rejected' : status,
    args: kept?.edited_args ?? (isKnown ? args : null),
    tool: rule_id === null ? null : name,
  };
}

function keptOf(decisions: string | null): readonly KeptDecision[] {
  return decisions === null ? [] : (JSON.parse(decisions) as KeptDecision[]);
}

/** Keeps existing verdicts: they come from newer approvals. */
function addVerdicts(verdicts: Map<string, CallState>, approval: Approval): void {
  const facts = toFacts(approval);
  for (const call of showCalls(approval.tool_calls).calls) {
    if (call.id === null || verdicts.has(call.id)) continue;
    const { questions, answers } = facts.calls[call.index]!;
    const said = answers && questions ? saidIn(questions, answers) : null;
    verdicts.set(call.id, { status: verdictIn(approval, call).status, answers: said });
  }
}

function saidIn(questions: readonly Question[], answers: Answers): Answers {
  const given = questions.filter(({ id }) => Object.hasOwn(answers, id));
  return Object.fromEntries(given.map(({ id, text }) => [text, answers[id]!]));
}

function toWaiting({ run_no, trace_id, parent_trace_id, agent_id, step_index }: Approval): WaitingCalls {
  return { runNo: run_no, traceId: trace_id, parentTraceId: parent_trace_id, agentId: agent_id, step: step_index };
}

function toFacts(approval: Approval): ApprovalFacts {
  const { calls, isCut } = showCalls(approval.tool_calls);
  const [declared, kept] = [JSON.parse(approval.features) as string[], keptOf(approval.decisions)];
  return {
    kind: approval.kind,
    threadId: approval.thread_id,
    traceId: approval.trace_id,
    parentTraceId: approval.parent_trace_id,
    agentId: approval.agent_id,
    step: approval.step_index,
    attempt: approval.attempt,
    digest: approval.digest,
    openedAtMs: Number(approval.created_at),
    status: approval.status,
    calls: calls.map((call) => callFacts(call, declared, kept[call.index])),
    isCut,
    decidedBy: approval.decided_by,
    decidedThrough: approval.decided_through,
    reminded: approval.reminded,
  };
}

function callFacts(call: ToolCall, declared: readonly string[], kept: KeptDecision | undefined): CallFacts {
  const { questions, allowed } = termsOf(call, declared);
  const facts: CallFacts = { name: call.name, args: call.args };
  if (questions) facts.questions = questions;
  if (allowed) facts.allowed = allowed;
  if (kept?.answers) facts.answers = kept.answers;
  return facts;
}
