import type { Verb } from '../approval.entity.js';
import { add, ZERO, type Decimal } from './decimal.js';
import type { JudgedCall } from './judged-call.js';
import type { StoredRule } from './rule.js';
import { matchOf } from './rule-match.js';

/** A rule's decision on one call. */
export interface RuledCall {
  readonly verb: Verb;
  readonly rule: StoredRule;
}

/** The calls of a record that one rule decided. */
export interface RuleUse {
  readonly rule: StoredRule;
  readonly calls: number;
  /** What they add to the rule's sum. */
  readonly amount: Decimal;
}

/** What rules decide on all calls of a record, in their order. */
export interface RuleVerdict {
  readonly calls: readonly RuledCall[];
  readonly uses: readonly RuleUse[];
}

/** What is left of the limits of rules. */
export interface Budget {
  /** Whether the rule may allow this much more. */
  hasRoom(use: RuleUse): boolean;
}

/** Ignores all limits. */
export const BOUNDLESS: Budget = { hasRoom: () => true };

/**
 * What rules decide on the calls of one record; null to ask a person. Deny beats ask beats allow, in any order of the rules; of several
 * that allow a call, the oldest with room counts.
 * @param rules the active ones
 * @param canSplit whether the agent can run some of the calls without the others
 */
export function verdictOf(
  rules: readonly StoredRule[],
  calls: readonly JudgedCall[],
  canSplit: boolean,
  budget: Budget,
): RuleVerdict | null {
  const byAge = rules.toSorted((a, b) => a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1));
  const words = calls.map((call) => wordsOn(byAge, call));
  const denied = words.find(({ deny }) => deny !== null)?.deny;
  if (!denied) return allowedBy(words, budget);
  return (canSplit ? allowedBy(words, budget) : null) ?? rejected(words, denied);
}

/** What rules say about one call. */
interface Words {
  readonly deny: StoredRule | null;
  readonly isAsked: boolean;
  /** The oldest first. */
  readonly allows: readonly Omit<RuleUse, 'calls'>[];
}

function wordsOn(rules: readonly StoredRule[], call: JudgedCall): Words {
  let deny: StoredRule | null = null;
  let isAsked = false;
  const allows: Omit<RuleUse, 'calls'>[] = [];
  for (const rule of rules) {
    const match = matchOf(rule, call);
    if (!match.isMatch) isAsked ||= match.isUnclear === true;
    else if (rule.effect === 'allow') allows.push({ rule, amount: match.amount });
    else if (rule.effect === 'ask') isAsked = true;
    else deny ??= rule;
  }
  return { deny, isAsked, allows };
}

/** Null unless each call that is not denied is allowed, with room for all of them together. */
function allowedBy(words: readonly Words[], budget: Budget): RuleVerdict | null {
  const calls: RuledCall[] = [];
  const uses = new Map<StoredRule, RuleUse>();
  const use = (rule: StoredRule, amount: Decimal): RuleUse => {
    const before = uses.get(rule) ?? { calls: 0, amount: ZERO };
    return { rule, calls: before.calls + 1, amount: add(before.amount, amount) };
  };
  for (const { deny, isAsked, allows } of words) {
    if (deny === null && isAsked) return null;
    const next = deny
      ? use(deny, ZERO)
      : allows.map(({ rule, amount }) => use(rule, amount)).find((one) => budget.hasRoom(one));
    if (!next) return null;
    uses.set(next.rule, next);
    calls.push({ verb: deny ? 'reject' : 'approve', rule: next.rule });
  }
  return calls.length === 0 ? null : { calls, uses: [...uses.values()] };
}

/** @param denied the rule that rejects calls without a `deny` of their own */
function rejected(words: readonly Words[], denied: StoredRule): RuleVerdict {
  const calls = words.map(({ deny }) => ({ verb: 'reject', rule: deny ?? denied }) as const);
  const rules = new Set(words.flatMap(({ deny }) => deny ?? []));
  const uses = [...rules].map((rule) => {
    return { rule, calls: words.filter(({ deny }) => deny === rule).length, amount: ZERO };
  });
  return { calls, uses };
}
