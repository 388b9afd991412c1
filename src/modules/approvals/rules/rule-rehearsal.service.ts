import { Injectable } from '@nestjs/common';
import { isoTime } from '../../../common/clock.js';
import type { Piece } from '../../../common/piece.js';
import { TimeSlices } from '../../../common/time-slices.js';
import type { Approval } from '../approval.entity.js';
import {
  ApprovalsRepository,
  DECIDED,
  type ApprovalKey,
  type ChangePosition,
  type PagedApproval,
} from '../approvals.repository.js';
import { takesVerb } from '../decision/call-terms.js';
import type { KeptDecision } from '../decision/decision.js';
import { showCalls } from '../decision/shown-calls.js';
import type { ToolCall } from '../decision/tool-calls.js';
import { add, compareDecimals, subtract, ZERO, type Decimal } from './decimal.js';
import { JudgedCall } from './judged-call.js';
import type { Rule, RuleEffect } from './rule.js';
import { matchOf, speaksOf, type Match } from './rule-match.js';
import { DAY_MS } from './rule-uses.js';

/** What people decided about a call. */
export const CALL_OUTCOMES = ['approved', 'edited', 'rejected', 'expired'] as const;

export type CallOutcome = (typeof CALL_OUTCOMES)[number];

/** A call that people decided, or let expire. */
export interface DecidedCall {
  readonly approval: Approval;
  readonly call: ToolCall;
  readonly outcome: CallOutcome;
  /** The approval's calls are too large to show. */
  readonly isCut: boolean;
}

/** What a rule would have said about one call. */
interface RehearsedCall {
  readonly key: ApprovalKey;
  readonly index: number;
  readonly openedMs: number;
  readonly outcome: CallOutcome;
  readonly amount: Decimal;
  /** Why the rule does not decide it; null if it does. */
  readonly why: string | null;
}

export interface Rehearsal {
  readonly effect: RuleEffect;
  /** In display order. */
  readonly calls: readonly RehearsedCall[];
  /** How many rejected or edited calls an `allow` would allow, or approved or edited calls a `deny` would deny. */
  readonly disagreements: number;
  /** There are more calls than were read. */
  readonly isPartial: boolean;
  /** The time ran out before the newest 10,000 were read. */
  readonly isTimedOut: boolean;
}

/** Which calls to read. */
export interface HistoryFilter {
  /** Null for all agents. */
  agentIds: readonly string[] | null;
  /** Decided since then; null for all time. */
  sinceMs: number | null;
}

const MAX_CALLS = 10_000;
const MAX_MS = 5_000;
const PAGE = 100;
const MAX_ITEMS = 200;
const SUMMARY_ITEMS = 20;
/** Longer arguments are not shown. */
const MAX_SHOWN_ARGS = 16 * 1024;
const NOT_TAKEN: Match = { isMatch: false, why: 'Its agent does not take such a decision.' };
const USED_UP = 'The limit of 24 hours was used up.';

/** Applies a rule to the calls that people decided. */
@Injectable()
export class RuleRehearsalService {
  constructor(private readonly approvals: ApprovalsRepository) {}

  /** Reads the newest 10,000 decided calls, for at most 5 seconds. */
  async rehearse(rule: Rule, sinceMs: number | null): Promise<Rehearsal> {
    const agentIds = rule.agents.some((name) => name.endsWith('*')) ? null : rule.agents;
    const history = new DecidedCalls(this.approvals, { agentIds, sinceMs });
    const seen: RehearsedCall[] = [];
    for await (const decided of history) {
      const { approval, call, outcome, isCut } = decided;
      const judged = new JudgedCall(call, approval.agent_id, isCut);
      if (!speaksOf(rule, judged)) continue;
      const match = takesEffect(rule, decided) ? matchOf(rule, judged) : NOT_TAKEN;
      const amount = match.isMatch ? match.amount : ZERO;
      const { thread_pk, run_no, attempt, step_index, digest } = approval;
      const key = { thread_pk, run_no, attempt, step_index, digest };
      const openedMs = Number(approval.created_at);
      seen.push({ key, index: call.index, openedMs, outcome, amount, why: match.isMatch ? null : match.why });
    }
    const calls = withinLimits(rule, seen);
    const disagrees = (call: RehearsedCall) => isDisagreement(rule.effect, call);
    const rank = (call: RehearsedCall) => (disagrees(call) ? 0 : call.why === null ? 1 : 2);
    return {
      effect: rule.effect,
      calls: calls.toSorted((a, b) => rank(a) - rank(b)),
      disagreements: calls.filter(disagrees).length,
      isPartial: history.isPartial,
      isTimedOut: history.isTimedOut,
    };
  }

  /** The result as JSON: at most 200 calls, read one at a time; skips calls deleted meanwhile. */
  async *json(rehearsal: Rehearsal): AsyncGenerator<Piece> {
    yield '{"items":[';
    let count = 0;
    for (const call of rehearsal.calls.slice(0, MAX_ITEMS)) {
      const item = await this.itemJson(rehearsal.effect, call, true);
      if (item !== null) yield `${count++ > 0 ? ',' : ''}${item}`;
    }
    const { disagreements, isPartial } = rehearsal;
    const tail = JSON.stringify({ totals: totalsOf(rehearsal), disagreements, is_partial: isPartial });
    yield `],${tail.slice(1)}`;
  }

  /** The same for the error: the first 20 calls, without arguments. */
  async summary(rehearsal: Rehearsal): Promise<Record<string, unknown>> {
    const items: unknown[] = [];
    for (const call of rehearsal.calls.slice(0, SUMMARY_ITEMS)) {
      const item = await this.itemJson(rehearsal.effect, call, false);
      if (item !== null) items.push(JSON.parse(item));
    }
    return { items, totals: totalsOf(rehearsal), is_partial: rehearsal.isPartial };
  }

  private async itemJson(effect: RuleEffect, rehearsed: RehearsedCall, hasArgs: boolean): Promise<string | null> {
    const approval = await this.approvals.findByKey(rehearsed.key);
    const call = approval && showCalls(approval.tool_calls).calls[rehearsed.index];
    if (!call) return null;
    const { trace_id, step_index, thread_id, agent_id } = approval;
    const place = `/approvals/${encodeURIComponent(trace_id)}/${step_index}`;
    const item = JSON.stringify({
      ...{ trace_id, step: step_index, thread_id, agent_id },
      link: `${place}?thread_id=${encodeURIComponent(thread_id)}`,
      ...{ created_at: isoTime(rehearsed.openedMs), index: call.index, name: call.name },
      ...{ decision: rehearsed.outcome, word: rehearsed.why === null ? effect : null, why: rehearsed.why },
    });
    if (!hasArgs) return item;
    return `${item.slice(0, -1)},"args":${call.args.length > MAX_SHOWN_ARGS ? 'null' : call.args}}`;
  }
}

/** The calls that people decided or let expire, newest decision first, with one approval in memory at a time. */
export class DecidedCalls implements AsyncIterable<DecidedCall> {
  /** Whether there are more than it yielded. */
  isPartial = false;
  /** Whether the time ran out before the newest 10,000. */
  isTimedOut = false;

  constructor(
    private readonly approvals: ApprovalsRepository,
    private readonly filter: HistoryFilter,
  ) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<DecidedCall> {
    const endMs = performance.now() + MAX_MS;
    let count = 0;
    for await (const approval of this.all()) {
      // Answered questions take time, too, but do not count as calls.
      if (this.mustEnd(count, endMs)) return;
      for (const decided of decidedCallsOf(approval)) {
        if (this.mustEnd(count, endMs)) return;
        count += 1;
        yield decided;
      }
    }
  }

  private mustEnd(count: number, endMs: number): boolean {
    const isFull = count === MAX_CALLS;
    this.isTimedOut = !isFull && performance.now() > endMs;
    this.isPartial = isFull || this.isTimedOut;
    return this.isPartial;
  }

  private async *all(): AsyncGenerator<Approval> {
    const slices = new TimeSlices();
    let last: ChangePosition | null = null;
    do {
      const { agentIds, sinceMs } = this.filter;
      const page: PagedApproval[] = await this.approvals.decidedByPeople(agentIds, sinceMs, last, PAGE);
      for (const paged of page) {
        const approval = await this.approvals.whole(paged);
        if (approval) yield approval;
        await slices.pauseIfDue();
      }
      last = page.length < PAGE ? null : page.at(-1)!;
    } while (last !== null);
  }
}

/** What people decided about an approval's calls; nothing if it is pending or superseded, or if a rule decided it. */
export function decidedCallsOf(approval: Approval): DecidedCall[] {
  if (!DECIDED.includes(approval.status) || approval.rule_id !== null) return [];
  const kept = approval.decisions === null ? [] : (JSON.parse(approval.decisions) as KeptDecision[]);
  const { calls, isCut } = showCalls(approval.tool_calls);
  return calls
    .filter(({ index }) => kept[index]?.decision !== 'answer')
    .map((call) => ({ approval, call, outcome: outcomeOf(approval, kept[call.index]), isCut }));
}

function outcomeOf({ status }: Approval, kept: KeptDecision | undefined): CallOutcome {
  if (status === 'expired') return 'expired';
  if (status === 'rejected' || kept?.decision === 'reject') return 'rejected';
  return (kept?.edited_args ?? null) === null ? 'approved' : 'edited';
}

function takesEffect({ effect }: Rule, { approval, call }: DecidedCall): boolean {
  if (effect === 'ask') return true;
  return takesVerb(call, JSON.parse(approval.features) as string[], effect === 'allow' ? 'approve' : 'reject');
}

/** Whether the rule would have decided differently than people did. */
function isDisagreement(effect: RuleEffect, { why, outcome }: RehearsedCall): boolean {
  if (why !== null || effect === 'ask') return false;
  return effect === 'allow'
    ? outcome === 'rejected' || outcome === 'edited'
    : outcome === 'approved' || outcome === 'edited';
}

/** The same calls in chronological accounting: the rule does not decide those beyond its limits. */
function withinLimits({ limits }: Rule, calls: readonly RehearsedCall[]): RehearsedCall[] {
  if (limits === null) return [...calls];
  const { perDay, sum } = limits;
  const used: RehearsedCall[] = [];
  let [from, total] = [0, ZERO];
  const isUsedUp = new Set<RehearsedCall>();
  for (const call of calls.toSorted((a, b) => a.openedMs - b.openedMs)) {
    if (call.why !== null) continue;
    for (; from < used.length && used[from]!.openedMs <= call.openedMs - DAY_MS; from++)
      total = subtract(total, used[from]!.amount);
    const next = add(total, call.amount);
    if (used.length - from >= perDay || (sum !== null && compareDecimals(next, sum.perDay) > 0)) {
      isUsedUp.add(call);
      continue;
    }
    used.push(call);
    total = next;
  }
  return calls.map((call) => (isUsedUp.has(call) ? { ...call, why: USED_UP } : call));
}

function totalsOf({ calls }: Rehearsal): Record<CallOutcome, { calls: number; ruled: number }> {
  const totals = Object.fromEntries(CALL_OUTCOMES.map((outcome) => [outcome, { calls: 0, ruled: 0 }]));
  for (const { outcome, why } of calls) {
    totals[outcome]!.calls += 1;
    if (why === null) totals[outcome]!.ruled += 1;
  }
  return totals as Record<CallOutcome, { calls: number; ruled: number }>;
}
