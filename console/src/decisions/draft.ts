import { parseExact, stringifyExact } from '../api/exact-json.js';
import type { components } from '../api/openapi.gen.js';
import { visibleJson, visibleString } from '../lib/visible-text.js';
import { findJsonFault, type JsonFault } from '../lib/json-fault.js';
import { answerParts, answersFault, isQuestion, type Call, type Entered } from './answers.js';
import type { Approval, Effect } from './inbox.js';

export type Decision = components['schemas']['DecisionDto'];
export type { Call } from './answers.js';
type Settling = components['schemas']['SettleEffectDto'];
export type CallDecision = components['schemas']['CallDecisionDto'];
export type Answers = components['schemas']['AnswerDto'];
export type Verb = 'approve' | 'reject' | 'answer';
type Word = NonNullable<Call['allowed_decisions']>[number];

/** A person's unsent input for an item. */
export interface Draft extends Entered {
  reason: string;
  /** Edited arguments by the index of the call, as text. */
  edits: ReadonlyMap<number, string>;
  /** What a call in doubt returned, as JSON; empty for nothing. */
  result: string;
}

export const EMPTY_DRAFT: Draft = { reason: '', refused: new Set(), edits: new Map(), result: '', entries: new Map() };

/** Whether the agent accepts this decision on the call. */
export function allows({ allowed_decisions: allowed }: Call, word: Word): boolean {
  return allowed === undefined || allowed.includes(word);
}

/** The verb that says yes. */
export function yesOf({ kind }: Approval): 'approve' | 'answer' {
  return kind === 'question' ? 'answer' : 'approve';
}

/** Whether people can say yes: to at least one call if calls are decided one by one, otherwise to all. */
export function canSayYes(approval: Approval): boolean {
  const isFine = (call: Call) => isQuestion(call) || allows(call, 'approve') || canEdit(approval, call);
  return canDecidePerCall(approval) ? approval.tool_calls.some(isFine) : approval.tool_calls.every(isFine);
}

/** Whether the agent accepts a rejection of all calls. */
export function canReject({ tool_calls }: Approval): boolean {
  return tool_calls.every((call) => allows(call, 'reject'));
}

/** Whether the agent declares that it reads decisions per call. */
export function canDecidePerCall({ approval_features, tool_calls, tool_calls_cut }: Approval): boolean {
  return tool_calls.length > 1 && approval_features.includes('per_call') && !tool_calls_cut;
}

/** Truncated calls cannot be edited: nobody sees what the edit replaces. */
export function canEdit({ approval_features, tool_calls_cut }: Approval, call: Call): boolean {
  const isOffered = approval_features.includes('edit_args') && allows(call, 'edit') && !isQuestion(call);
  return isOffered && call.raw !== null && !tool_calls_cut;
}

/** The arguments as multi-line JSON with exact numbers. */
export function argumentsText(args: unknown): string {
  return stringifyExact(args, 2);
}

/** The same for an input field. */
export function editableText(args: unknown): string {
  return visibleJson(argumentsText(args));
}

export interface Edit {
  /** Why the text cannot be sent. */
  fault: JsonFault | null;
  /** The arguments to send; undefined if there is a fault or no difference. */
  args?: unknown;
}

/** What an edited text means for the call. */
export function editOf(call: Call, text: string): Edit {
  const fault = findJsonFault(text);
  if (fault) return { fault };
  const args = parseExact(text);
  if (args === null) return { fault: { line: 1, column: 1, message: 'null stands for the original arguments' } };
  return stringifyExact(args) === stringifyExact(call.args) ? { fault: null } : { fault: null, args };
}

/** The edits of calls that will run and that differ from the original. */
export function editsOf({ tool_calls }: Approval, { edits, refused }: Draft): Map<number, Edit> {
  const found = new Map<number, Edit>();
  for (const [index, text] of edits) {
    const call = tool_calls.find((one) => one.index === index);
    if (!call || refused.has(index)) continue;
    const edit = editOf(call, text);
    if (edit.fault || 'args' in edit) found.set(index, edit);
  }
  return found;
}

/** Why the calls cannot be approved, or the questions answered, as entered; null if they can. */
export function faultOf(approval: Approval, draft: Draft): string | null {
  if (approval.kind === 'question') {
    const fault = answersFault(approval, draft);
    if (fault !== null) return fault;
  }
  if (approval.tool_calls_cut) return 'The calls are too large to show: they cannot be approved here.';
  if (draft.refused.size >= approval.tool_calls.length) return 'No call is selected: reject them, or select one.';
  const edits = editsOf(approval, draft);
  for (const call of approval.tool_calls) {
    const edit = edits.get(call.index);
    const name = visibleString(call.name ?? 'the call');
    if (edit?.fault) {
      const { line, column, message } = edit.fault;
      return `The arguments of ${name} are not JSON: line ${line}, column ${column}: ${message}.`;
    }
    const isMeant = !isQuestion(call) && !draft.refused.has(call.index);
    if (isMeant && !edit && !allows(call, 'approve')) return `The agent takes ${name} only with other arguments.`;
  }
  return null;
}

/** Why the entered result is invalid. */
export function resultFaultOf({ result }: Draft): JsonFault | null {
  return result.trim() === '' ? null : findJsonFault(result);
}

/** A person's settlement of a call in doubt. @throws SyntaxError for a result that is not JSON: see `resultFaultOf` */
export function settlingOf({ attempt }: Effect, draft: Draft, outcome: 'completed' | 'not_done'): Settling {
  const reason = draft.reason.trim();
  const body: Settling = { attempt, outcome };
  if (reason !== '') body.reason = reason;
  if (outcome === 'completed' && draft.result.trim() !== '')
    body.result = parseExact(draft.result) as Settling['result'];
  return body;
}

/** The body of a decision: the digest of what was shown, and only what was entered. */
export function decisionOf(approval: Approval, draft: Draft, verb: Exclude<Verb, 'answer'>): Decision {
  const body = startOf(approval, draft);
  const decisions = verb === 'reject' ? [] : differing(approval, draft);
  return decisions.length > 0 ? { ...body, decisions } : body;
}

/** The body of an answer, built the same way. */
export function answerOf(approval: Approval, draft: Draft): Answers {
  return { ...startOf(approval, draft), ...answerParts(approval.tool_calls, draft, differing(approval, draft)) };
}

function startOf({ digest }: Approval, draft: Draft): { digest: string; reason?: string } {
  const reason = draft.reason.trim();
  return reason === '' ? { digest } : { digest, reason };
}

/** The decisions on calls that must not run, or that run with other arguments. */
function differing(approval: Approval, draft: Draft): CallDecision[] {
  const edits = editsOf(approval, draft);
  return approval.tool_calls.flatMap(({ index }): CallDecision[] => {
    const edit = edits.get(index);
    if (draft.refused.has(index)) return [{ index, decision: 'reject' }];
    return edit ? [{ index, decision: 'approve', args: edit.args as CallDecision['args'] }] : [];
  });
}
