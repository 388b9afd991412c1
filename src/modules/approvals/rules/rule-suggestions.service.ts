import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import type { Piece } from '../../../common/piece.js';
import { Database, type SqlReader } from '../../../database/database.js';
import type { Approval } from '../approval.entity.js';
import { approvalNotFound } from '../approvals.errors.js';
import { ApprovalsRepository, type ApprovalAddress } from '../approvals.repository.js';
import { showCalls } from '../decision/shown-calls.js';
import { JudgedCall } from './judged-call.js';
import type { StoredRule } from './rule.js';
import { RuleBook } from './rule-book.js';
import { draftRule, type ApprovedCall } from './rule-draft.js';
import { matchOf } from './rule-match.js';
import { DecidedCalls, decidedCallsOf, type DecidedCall } from './rule-rehearsal.service.js';
import { historyUnfinished } from './rules.errors.js';

const MAX_AGE_MS = 30 * 24 * 3_600_000;
/** Approved calls of one tool needed for a suggestion. */
const MIN_CALLS = 5;

/** Most characters of calls kept for drafts; of older calls, only the decisions count. */
const MAX_KEPT_LENGTH = 16 * 1024 * 1024;

/** What people decided about the calls of one tool. */
interface ToolHistory {
  approved: ApprovedCall[];
  /** Some were rejected or edited. */
  isDisputed: boolean;
}

/** What people decided about the calls of an agent. */
interface AgentHistory {
  tools: ReadonlyMap<string, ToolHistory>;
  /** The time ran out: some may be unread. */
  isTimedOut: boolean;
}

/** Suggests rules for what people approve again and again. */
@Injectable()
export class RuleSuggestionsService {
  private readonly reader: SqlReader = { query: (sql, params) => this.database.read(sql, params) };

  constructor(
    private readonly approvals: ApprovalsRepository,
    private readonly book: RuleBook,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Drafts of rules as JSON. @throws DomainError `not_found` or `history_unfinished`, before the first piece */
  suggest(subject: { agentId: string } | { address: ApprovalAddress }): AsyncGenerator<Piece> {
    return 'agentId' in subject ? this.ofAgent(subject.agentId) : this.ofApproval(subject.address);
  }

  /**
   * Drafts for those tools of an agent with five approved calls in 30 days and no rejected or edited ones.
   * @throws DomainError `history_unfinished`
   */
  private async *ofAgent(agentId: string): AsyncGenerator<Piece> {
    const { tools, isTimedOut } = await this.historyOf(agentId, null);
    if (isTimedOut) throw historyUnfinished();
    const found = [...tools].filter(([, { approved, isDisputed }]) => !isDisputed && approved.length >= MIN_CALLS);
    yield* listOf(
      agentId,
      found.map(([tool, { approved }]) => [tool, approved]),
    );
  }

  /**
   * The same for the tools of one approval, however few the approved calls. If some were rejected or edited, or may have been, only this
   * approval's calls count.
   * @throws DomainError `not_found`
   */
  private async *ofApproval(address: ApprovalAddress): AsyncGenerator<Piece> {
    const [paged] = await this.approvals.findByAddress(address, null);
    const approval = paged && (await this.approvals.whole(paged));
    if (!approval) throw approvalNotFound();
    const { tools, isTimedOut } = await this.historyOf(approval.agent_id, approval);
    const decided = decidedCallsOf(approval);
    const found = new Map<string, ApprovedCall[]>();
    for (const { name } of showCalls(approval.tool_calls).calls) {
      if (name === null || found.has(name)) continue;
      const own = decided.filter(({ call }) => call.name === name);
      const others = tools.get(name);
      const isDisputed = isTimedOut || others?.isDisputed || own.some(isDispute);
      const approved = own.filter(({ outcome }) => outcome === 'approved').map(approvedCall);
      found.set(name, [...approved, ...(isDisputed ? [] : (others?.approved ?? []))]);
    }
    yield* listOf(approval.agent_id, found);
  }

  /** @param own an approval whose calls are left out; null for none */
  private async historyOf(agentId: string, own: Approval | null): Promise<AgentHistory> {
    const nowMs = this.clock.nowMs();
    const rules = await this.book.active(this.reader, nowMs);
    const tools = new Map<string, ToolHistory>();
    let keptLength = 0;
    const history = new DecidedCalls(this.approvals, { agentIds: [agentId], sinceMs: nowMs - MAX_AGE_MS });
    for await (const decided of history) {
      const { approval, call, outcome } = decided;
      if (call.name === null || outcome === 'expired' || (own && isSame(approval, own))) continue;
      const tool = tools.get(call.name) ?? { approved: [], isDisputed: false };
      tools.set(call.name, tool);
      if (isDispute(decided)) tool.isDisputed = true;
      const approved = approvedCall(decided);
      if (outcome !== 'approved' || keptLength > MAX_KEPT_LENGTH || isRuled(rules, approved.judged)) continue;
      keptLength += call.raw.length + call.args.length;
      tool.approved.push(approved);
    }
    return { tools, isTimedOut: history.isTimedOut };
  }
}

function isSame(one: Approval, other: Approval): boolean {
  return one.thread_pk === other.thread_pk && one.seq === other.seq && one.digest === other.digest;
}

function isDispute({ outcome }: DecidedCall): boolean {
  return outcome === 'rejected' || outcome === 'edited';
}

function approvedCall({ approval, call, isCut }: DecidedCall): ApprovedCall {
  return { judged: new JudgedCall(call, approval.agent_id, isCut), openedMs: Number(approval.created_at) };
}

/** Whether a rule already allows the call, limits aside. */
function isRuled(rules: readonly StoredRule[], call: JudgedCall): boolean {
  return rules.some((rule) => rule.effect === 'allow' && matchOf(rule, call).isMatch);
}

function* listOf(agentId: string, tools: Iterable<readonly [string, readonly ApprovedCall[]]>): Generator<Piece> {
  yield '{"items":[';
  let count = 0;
  for (const [tool, approved] of tools) {
    const draft = draftRule(agentId, tool, approved);
    if (draft === null) continue;
    const tail = JSON.stringify({ calls: draft.calls, open: draft.open });
    yield `${count++ > 0 ? ',' : ''}{"rule":${draft.rule},${tail.slice(1)}`;
  }
  yield ']}';
}
