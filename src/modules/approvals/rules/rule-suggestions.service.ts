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
import { DecidedCalls } from './rule-rehearsal.service.js';

const MAX_AGE_MS = 30 * 24 * 3_600_000;
/** Calls of one tool that people approved, before a rule is suggested. */
const MIN_CALLS = 5;

/** Characters of calls from which rules are drafted; of those that are older, only what people said counts. */
const MAX_KEPT_LENGTH = 16 * 1024 * 1024;

/** What people said to the calls of one tool. */
interface ToolHistory {
  approved: ApprovedCall[];
  /** Some were rejected or edited. */
  isDisputed: boolean;
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

  /** Drafts of rules as JSON. @throws DomainError `not_found`, before the first piece */
  suggest(subject: { agentId: string } | { address: ApprovalAddress }): AsyncGenerator<Piece> {
    return 'agentId' in subject ? this.ofAgent(subject.agentId) : this.ofApproval(subject.address);
  }

  /** Drafts for the tools of an agent of which people approved five calls in 30 days, and rejected or edited none. */
  private async *ofAgent(agentId: string): AsyncGenerator<Piece> {
    const tools = await this.historyOf(agentId, null);
    const found = [...tools].filter(([, { approved, isDisputed }]) => !isDisputed && approved.length >= MIN_CALLS);
    yield* listOf(agentId, found);
  }

  /** The same for the tools of one approval, however often they were approved. @throws DomainError `not_found` */
  private async *ofApproval(address: ApprovalAddress): AsyncGenerator<Piece> {
    const [paged] = await this.approvals.findByAddress(address, null);
    const approval = paged && (await this.approvals.whole(paged));
    if (!approval) throw approvalNotFound();
    const { calls, isCut } = showCalls(approval.tool_calls);
    const tools = await this.historyOf(approval.agent_id, approval);
    const openedMs = Number(approval.created_at);
    const own = new Map<string, ToolHistory>();
    for (const call of calls) {
      if (call.name === null) continue;
      const tool = own.get(call.name) ?? { approved: [], isDisputed: false };
      own.set(call.name, tool);
      tool.approved.push({ judged: new JudgedCall(call, approval.agent_id, isCut), openedMs });
    }
    for (const [name, { approved }] of own) approved.push(...(tools.get(name)?.approved ?? []));
    yield* listOf(approval.agent_id, own);
  }

  /** @param own an approval whose calls are left out; null for none */
  private async historyOf(agentId: string, own: Approval | null): Promise<Map<string, ToolHistory>> {
    const nowMs = this.clock.nowMs();
    const rules = await this.book.active(this.reader, nowMs);
    const tools = new Map<string, ToolHistory>();
    let keptLength = 0;
    const history = new DecidedCalls(this.approvals, { agentIds: [agentId], sinceMs: nowMs - MAX_AGE_MS });
    for await (const { approval, call, outcome, isCut } of history) {
      if (call.name === null || outcome === 'expired' || (own && isSame(approval, own))) continue;
      const tool = tools.get(call.name) ?? { approved: [], isDisputed: false };
      tools.set(call.name, tool);
      if (outcome !== 'approved') tool.isDisputed = true;
      const judged = new JudgedCall(call, agentId, isCut);
      if (outcome !== 'approved' || keptLength > MAX_KEPT_LENGTH || isRuled(rules, judged)) continue;
      keptLength += call.raw.length + call.args.length;
      tool.approved.push({ judged, openedMs: Number(approval.created_at) });
    }
    return tools;
  }
}

function isSame(one: Approval, other: Approval): boolean {
  return one.thread_pk === other.thread_pk && one.seq === other.seq && one.digest === other.digest;
}

/** Whether a rule speaks of such calls already. */
function isRuled(rules: readonly StoredRule[], call: JudgedCall): boolean {
  return rules.some((rule) => rule.effect === 'allow' && matchOf(rule, call).isMatch);
}

function* listOf(agentId: string, tools: Iterable<readonly [string, ToolHistory]>): Generator<Piece> {
  yield '{"items":[';
  let count = 0;
  for (const [tool, { approved }] of tools) {
    const draft = draftRule(agentId, tool, approved);
    if (draft === null) continue;
    const tail = JSON.stringify({ calls: draft.calls, open: draft.open });
    yield `${count++ > 0 ? ',' : ''}{"rule":${draft.rule},${tail.slice(1)}`;
  }
  yield ']}';
}
