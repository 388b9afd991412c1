import { Injectable, type OnModuleInit } from '@nestjs/common';
import { RULE_DECIDER } from '../../../common/principal.js';
import { Logger } from '../../../common/logger.js';
import { ApprovalsConfig } from '../../../config/approvals.config.js';
import type { CallsDecider, OpenedCalls } from '../../threads/journal/store/calls-decider.contract.js';
import { PendingToolCallsService } from '../../threads/journal/pending-tool-calls.service.js';
import { JournalParticipants } from '../../threads/journal/store/journal-participants.service.js';
import type { UnitOfWork } from '../../threads/journal/thread-journal.service.js';
import { draftApproval } from '../approval-draft.js';
import { outcomeOf } from '../approval-view.js';
import type { Approval } from '../approval.entity.js';
import { ApprovalsRepository } from '../approvals.repository.js';
import { takesVerb } from '../decision/call-terms.js';
import { statusOf, type KeptDecision } from '../decision/decision.js';
import { showCalls } from '../decision/shown-calls.js';
import { JudgedCall } from './judged-call.js';
import type { StoredRule } from './rule.js';
import { RuleTransactions, type HeldRules } from './rule-transactions.js';
import { BOUNDLESS, verdictOf, type Budget, type RuleVerdict } from './rule-verdict.js';

/** An approval that is being opened. */
interface OpenedRecord {
  approval: Approval;
  calls: readonly JudgedCall[];
  features: readonly string[];
}

const THROUGH_RULE = 'rule';
/** Most rules that decide one record: PostgreSQL indexes their ids, in at most 2,700 bytes. */
const MAX_RULES_OF_RECORD = 50;

/** Decides tool calls by standing rules, in the transaction that opens them. All others wait for a person. */
@Injectable()
export class RuleDecider implements CallsDecider, OnModuleInit {
  constructor(
    private readonly participants: JournalParticipants,
    private readonly calls: PendingToolCallsService,
    private readonly approvals: ApprovalsRepository,
    private readonly transactions: RuleTransactions,
    private readonly config: ApprovalsConfig,
    private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.participants.decideWith(this);
  }

  async decide(unitOfWork: UnitOfWork, opened: readonly OpenedCalls[]): Promise<void> {
    const rules = await this.transactions.rulesOf(unitOfWork);
    if (rules.length === 0) return;
    const records = opened.map((calls) => this.recordOf(calls, unitOfWork.nowMs));
    const isMeant = records.some((record) => this.judge(rules, record, BOUNDLESS) !== null);
    if (!isMeant) return;
    const held = await this.transactions.hold(unitOfWork);
    for (const record of records) await this.decideRecord(unitOfWork, held, record);
  }

  private async decideRecord(unitOfWork: UnitOfWork, { rules, uses }: HeldRules, record: OpenedRecord): Promise<void> {
    await uses.load(rules.filter((rule) => maySpeak(rule, record)));
    const verdict = this.judge(rules, record, uses);
    if (verdict === null || new Set(verdict.calls.map(({ rule }) => rule)).size > MAX_RULES_OF_RECORD) return;
    const decided = decidedApproval(record.approval, verdict);
    if (!(await this.calls.decide(unitOfWork, record.approval, outcomeOf(decided)))) return;
    const used = verdict.uses.flatMap((use) => uses.add(use));
    unitOfWork.write(this.approvals.insertStatement(decided), ...used);
  }

  /** If judging fails, a person is asked. */
  private judge(
    rules: readonly StoredRule[],
    { approval, calls, features }: OpenedRecord,
    budget: Budget,
  ): RuleVerdict | null {
    try {
      const verdict = verdictOf(rules, calls, features.includes('per_call'), budget);
      return verdict && calls.every(({ call }, i) => takesVerb(call, features, verdict.calls[i]!.verb))
        ? verdict
        : null;
    } catch (error) {
      const { thread_id, trace_id, step_index } = approval;
      this.logger.error(
        { err: error, thread_id, trace_id, step_index },
        'rules could not be applied; a person is asked',
      );
      return null;
    }
  }

  private recordOf({ threadId, fact }: OpenedCalls, nowMs: number): OpenedRecord {
    const approval = draftApproval(threadId, fact, nowMs, this.config.timeoutSeconds);
    const { calls, isCut } = showCalls(approval.tool_calls);
    const features = JSON.parse(approval.features) as string[];
    return { approval, calls: calls.map((call) => new JudgedCall(call, approval.agent_id, isCut)), features };
  }
}

/** Whether the rule may decide a call of the record; quick, without false negatives. */
function maySpeak({ effect, agents, tools }: StoredRule, { approval, calls }: OpenedRecord): boolean {
  if (effect !== 'allow') return effect === 'deny';
  return (
    agents.includes(approval.agent_id) && calls.some(({ call }) => call.name !== null && tools.includes(call.name))
  );
}

function decidedApproval(approval: Approval, { calls }: RuleVerdict): Approval {
  const first = calls.find(({ verb }) => verb === 'reject') ?? calls[0]!;
  const decisions = calls.map(({ verb, rule }): KeptDecision => {
    const reason = rule === first.rule ? null : rule.note;
    return { decision: verb, edited_args: null, reason, rule_id: rule.id };
  });
  const status = statusOf(decisions);
  const ids = [...new Set([first, ...calls].map(({ rule }) => rule.id))];
  return {
    ...approval,
    status,
    decisions: JSON.stringify(decisions),
    verb: status === 'approved' ? 'approve' : 'reject',
    reason: first.rule.note,
    decided_by: `${RULE_DECIDER}${first.rule.id}`,
    decided_through: THROUGH_RULE,
    rule_id: ids.join(' '),
    remind_at: null,
    decided_at: approval.created_at,
    changed_at: approval.created_at,
  };
}
