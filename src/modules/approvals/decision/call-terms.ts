import {
  readAllowedDecisions,
  readQuestions,
  type AllowedDecision,
  type Question,
} from '../../../common/contract/questions.js';
import { parsedJson } from '../../../common/parsed-json.js';
import type { Verb } from '../approval.entity.js';
import type { ToolCall } from './tool-calls.js';

/** What may be decided about a call. */
export interface CallTerms {
  /** Null for a call that asks none: people approve or reject it. */
  questions: readonly Question[] | null;
  /** Null for a call that does not limit it. */
  allowed: readonly AllowedDecision[] | null;
}

/** The feature that gives the member `questions` its meaning. */
export const ANSWER = 'answer';

/**
 * What a call says of decisions on it. Members that ingestion would have refused, as an import may bring them, mean nothing.
 * @param features that the agent declares: without them, neither member means anything
 */
export function termsOf({ questions, allowed_decisions: allowed }: ToolCall, features: readonly string[]): CallTerms {
  const mayAsk = features.includes(ANSWER);
  const asked = questions !== undefined && mayAsk ? readQuestions(parsedJson(questions), '') : null;
  const isLimited = allowed !== undefined && (mayAsk || features.includes('per_call'));
  const limits = isLimited ? readAllowedDecisions(parsedJson(allowed), '') : null;
  return {
    questions: asked && 'questions' in asked ? asked.questions : null,
    allowed: limits && 'allowed' in limits ? limits.allowed : null,
  };
}

/** Whether the agent can carry out this decision on the call. */
export function takesVerb(call: ToolCall, features: readonly string[], verb: Verb): boolean {
  const { allowed } = termsOf(call, features);
  return allowed === null || allowed.includes(verb);
}
