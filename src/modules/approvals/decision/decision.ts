import type { Answers } from '../../../common/contract/questions.js';
import type { FieldFault } from '../../../common/domain-error.js';
import type { ApprovalStatus, Verb } from '../approval.entity.js';

/** A person's decision on one call. */
export interface CallDecision {
  index: number;
  decision: Verb;
  /** Exact JSON of the arguments to use instead; null for the reported ones. */
  args: string | null;
  reason: string | null;
}

/** A decision as requested. */
export interface DecisionCommand {
  verb: Verb;
  reason: string | null;
  decidedBy: string | null;
  /** Digest of the calls that the person saw; null when it was not sent. */
  digest: string | null;
  decisions: readonly CallDecision[];
}

/** The stored part of a decision for each call, in call order. */
export interface KeptDecision {
  decision: Verb | 'answer';
  /** Exact JSON of the arguments to use instead; null for the reported ones. */
  edited_args: string | null;
  reason: string | null;
  /** Answers to the call's questions; absent for other decisions. */
  answers?: Answers;
  /** The rule that decided; absent if a person did. */
  rule_id?: string;
}

/** The decisions on all calls; those not named take the command's verb. */
export function decideCalls(command: DecisionCommand, callCount: number): KeptDecision[] {
  const kept: KeptDecision[] = Array.from({ length: callCount }, () => ({
    decision: command.verb,
    edited_args: null,
    reason: null,
  }));
  for (const { index, decision, args, reason } of command.decisions)
    kept[index] = { decision, edited_args: args, reason };
  return kept;
}

/** Whether the agent would do the same for every call; reasons do not count. */
export function isSameDecision(one: readonly KeptDecision[], other: readonly KeptDecision[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ decision, edited_args, answers }, index) => {
      const { decision: otherDecision, edited_args: otherArgs, answers: otherAnswers } = other[index]!;
      const isSame = decision === otherDecision && JSON.stringify(answers) === JSON.stringify(otherAnswers);
      return isSame && isSameJson(edited_args, otherArgs);
    })
  );
}

const STRING_OR_SPACE = /"[^"\\]*(?:\\.[^"\\]*)*"|\s+/gs;

/** Whether two exact texts differ only in whitespace between tokens. */
function isSameJson(one: string | null, other: string | null): boolean {
  const [first, second] = [one, other].map((text) =>
    text?.replace(STRING_OR_SPACE, (token) => (token.startsWith('"') ? token : '')),
  );
  return first === second;
}

/** Approved if at least one call may run or is answered. */
export function statusOf(decisions: readonly KeptDecision[]): Extract<ApprovalStatus, 'approved' | 'rejected'> {
  return decisions.some(({ decision }) => decision !== 'reject') ? 'approved' : 'rejected';
}

/** The features that the agent must declare to carry out the decision. */
export function neededFeatures(command: DecisionCommand): string[] {
  const needed = new Set<string>();
  for (const { decision, args } of command.decisions) {
    if (decision !== command.verb) needed.add('per_call');
    if (args !== null) needed.add('edit_args');
  }
  return [...needed];
}

/** Faults that only show against the calls. */
export function faultsOf(command: DecisionCommand, callCount: number): FieldFault[] {
  const faults: FieldFault[] = [];
  const seen = new Set<number>();
  command.decisions.forEach(({ index, decision, args }, i) => {
    const path = `decisions[${i}]`;
    if (index >= callCount)
      faults.push({ path: `${path}.index`, detail: `expected an index from 0 to ${callCount - 1}` });
    if (seen.has(index)) faults.push({ path: `${path}.index`, detail: 'repeats a call that an earlier entry decides' });
    if (args !== null && decision === 'reject')
      faults.push({ path: `${path}.args`, detail: 'a rejected call has no arguments' });
    seen.add(index);
  });
  return faults;
}
