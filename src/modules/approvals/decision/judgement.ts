import type { AllowedDecision } from '../../../common/contract/questions.js';
import type { Approval } from '../approval.entity.js';
import {
  answerRequired,
  decisionNotAllowed,
  invalidDecision,
  missingFeatures,
  noQuestion,
  type RefusedDecision,
} from '../approvals.errors.js';
import { answerCalls, type AnswerCommand } from './answer.js';
import { termsOf, type CallTerms } from './call-terms.js';
import { decideCalls, faultsOf, neededFeatures, type DecisionCommand, type KeptDecision } from './decision.js';
import { showCalls } from './shown-calls.js';

/** A decision as requested, with any verb. */
export type AnyCommand = DecisionCommand | AnswerCommand;

/** What may be decided about each call of an approval. */
export function termsOfCalls({ tool_calls, features }: Pick<Approval, 'tool_calls' | 'features'>): CallTerms[] {
  const declared = JSON.parse(features) as string[];
  return showCalls(tool_calls).calls.map((call) => termsOf(call, declared));
}

/**
 * What the command decides about each call.
 * @throws DomainError `invalid` for faults that only show against the calls
 */
export function decisionsOf(command: AnyCommand, terms: readonly CallTerms[]): KeptDecision[] {
  if (command.verb === 'answer') {
    const read = answerCalls(command, terms);
    if ('faults' in read) throw invalidDecision(read.faults);
    return read.decisions;
  }
  const faults = faultsOf(command, terms.length);
  if (faults.length > 0) throw invalidDecision(faults);
  return decideCalls(command, terms.length);
}

/**
 * The same for a pending approval, if its calls and its agent allow it.
 * @throws DomainError `invalid`; `conflict` for a decision that the calls or the agent's features do not allow
 */
export function judge(approval: Approval, command: AnyCommand): KeptDecision[] {
  const terms = termsOfCalls(approval);
  const isQuestion = terms.some(({ questions }) => questions !== null);
  if (command.verb === 'approve' && isQuestion) throw answerRequired();
  if (command.verb === 'answer' && !isQuestion) throw noQuestion();
  const decisions = decisionsOf(command, terms);
  if (decisions.some(({ decision }, i) => decision === 'approve' && terms[i]!.questions)) throw answerRequired();
  const refused = decisions.flatMap((decision, index) => refusedBy(terms[index]!, decision, index));
  if (refused.length > 0) throw decisionNotAllowed(refused);
  const declared = JSON.parse(approval.features) as string[];
  // An answered approval is approved; only an agent that reads each decision leaves out rejected calls.
  const needed = neededFeatures(command.verb === 'answer' ? { ...command, verb: 'approve' } : command);
  const missing = needed.filter((feature) => !declared.includes(feature));
  if (missing.length > 0) throw missingFeatures(missing);
  return decisions;
}

function refusedBy({ allowed }: CallTerms, kept: KeptDecision, index: number): RefusedDecision[] {
  const decision = wordFor(kept);
  return allowed === null || allowed.includes(decision) ? [] : [{ index, decision, allowed_decisions: allowed }];
}

function wordFor({ decision, edited_args }: KeptDecision): AllowedDecision {
  if (decision === 'answer') return 'respond';
  return decision === 'approve' && edited_args !== null ? 'edit' : decision;
}
