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
  /** Null if it asks none: people approve or reject it. */
  questions: readonly Question[] | null;
  /** Null for no limit. */
  allowed: readonly AllowedDecision[] | null;
}

/** The feature that gives the member `questions` its meaning. */
export const ANSWER = 'answer';

/**
 * What a call says about decisions on it. Ignores members that ingestion would have refused, which an import may bring.
 * @param features that the agent declares; without them, both members are ignored
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

/** Whether the call allows this decision. */
export function takesVerb(call: ToolCall, features: readonly string[], verb: Verb): boolean {
  const { allowed } = termsOf(call, features);
  return allowed === null || allowed.includes(verb);
}
