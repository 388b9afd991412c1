import { defaultAnswers, readAnswers } from '../../../common/contract/questions.js';
import type { FieldFault } from '../../../common/domain-error.js';
import type { CallTerms } from './call-terms.js';
import { faultsOf, type DecisionCommand, type KeptDecision } from './decision.js';

/** Answers to the questions of one call, as sent. */
export interface CallAnswers {
  index: number;
  values: unknown;
}

/** Answers to the questions of an approval, with the decisions on its other calls. */
export interface AnswerCommand extends Omit<DecisionCommand, 'verb'> {
  verb: 'answer';
  answers: readonly CallAnswers[];
}

/** The decisions on all calls, or the faults: every question must be answered or declined, every other call decided. */
export function answerCalls(
  command: AnswerCommand,
  terms: readonly CallTerms[],
): { decisions: KeptDecision[] } | { faults: readonly FieldFault[] } {
  const faults = faultsOf({ ...command, verb: 'approve' }, terms.length);
  const kept: (KeptDecision | undefined)[] = terms.map(() => undefined);
  for (const { index, decision, args, reason } of command.decisions)
    kept[index] = { decision, edited_args: args, reason };
  command.answers.forEach(({ index, values }, i) => {
    const path = `answers[${i}]`;
    const questions = terms[index]?.questions;
    if (!questions) return void faults.push({ path: `${path}.index`, detail: 'expected the index of a question' });
    if (kept[index])
      return void faults.push({ path: `${path}.index`, detail: 'repeats a call that another entry decides' });
    const read = readAnswers(questions, values, `${path}.values`);
    const answers = 'answers' in read ? read.answers : {};
    if ('faults' in read) faults.push(...read.faults);
    kept[index] = { decision: 'answer', edited_args: null, reason: null, answers };
  });
  if (command.answers.length === 0) faults.push({ path: 'answers', detail: 'expected at least one answer' });
  faults.push(...terms.flatMap((call, index) => (kept[index] ? [] : [missing(call, index)])));
  return faults.length > 0 ? { faults } : { decisions: kept as KeptDecision[] };
}

/** The decisions at a timeout if all calls ask questions that have defaults or need no answer; null otherwise. */
export function defaultDecisions(terms: readonly CallTerms[]): KeptDecision[] | null {
  const decisions: KeptDecision[] = [];
  for (const { questions } of terms) {
    const answers = questions && defaultAnswers(questions);
    if (!answers) return null;
    decisions.push({ decision: 'answer', edited_args: null, reason: null, answers });
  }
  return decisions;
}

function missing({ questions }: CallTerms, index: number): FieldFault {
  return questions
    ? { path: 'answers', detail: `expected an entry for call ${index}, which asks questions` }
    : { path: 'decisions', detail: `expected an entry for call ${index}, which is no question` };
}
