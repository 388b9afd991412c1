import { parseExact, stringifyExact } from '../api/exact-json.js';
import type { components } from '../api/openapi.gen.js';
import { visibleJson, visibleString } from '../lib/visible-text.js';
import { findJsonFault, type JsonFault } from '../lib/json-fault.js';
import type { Approval, Effect } from './inbox.js';

export type Decision = components['schemas']['DecisionDto'];
export type Call = Approval['tool_calls'][number];
type Settling = components['schemas']['SettleEffectDto'];
type CallDecision = components['schemas']['CallDecisionDto'];
export type Verb = 'approve' | 'reject';

/** What a person has entered beside an item and not sent yet. */
export interface Draft {
  reason: string;
  /** Indexes of the calls that shall not run. */
  refused: ReadonlySet<number>;
  /** Edited arguments by the index of the call, as text. */
  edits: ReadonlyMap<number, string>;
  /** What a call in doubt returned, as JSON; empty for nothing. */
  result: string;
}

export const EMPTY_DRAFT: Draft = { reason: '', refused: new Set(), edits: new Map(), result: '' };

/** What the agent declares that it reads of a decision. */
export function canDecidePerCall({ approval_features, tool_calls, tool_calls_cut }: Approval): boolean {
  return tool_calls.length > 1 && approval_features.includes('per_call') && !tool_calls_cut;
}

/** Calls that are shown cut cannot be edited: nobody sees what they replace. */
export function canEdit({ approval_features, tool_calls_cut }: Approval, call: Call): boolean {
  return approval_features.includes('edit_args') && call.raw !== null && !tool_calls_cut;
}

/** The arguments on several lines, each number in its digits. */
export function argumentsText(args: unknown): string {
  return stringifyExact(args, 2);
}

/** The same to write in. */
export function editableText(args: unknown): string {
  return visibleJson(argumentsText(args));
}

export interface Edit {
  /** Why the text cannot be sent. */
  fault: JsonFault | null;
  /** The arguments to send; undefined where there is a fault, or nothing differs. */
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

/** The edits of calls that shall run, and that differ. */
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

/** Why the calls cannot be approved as entered; null where they can. */
export function faultOf(approval: Approval, draft: Draft): string | null {
  if (approval.tool_calls_cut) return 'The calls are too large to show: they cannot be approved here.';
  if (draft.refused.size >= approval.tool_calls.length) return 'No call is selected: reject them, or select one.';
  for (const [index, { fault }] of editsOf(approval, draft)) {
    if (!fault) continue;
    const name = approval.tool_calls.find((call) => call.index === index)?.name ?? 'the call';
    return `The arguments of ${visibleString(name)} are not JSON: line ${fault.line}, column ${fault.column}: ${fault.message}.`;
  }
  return null;
}

/** Why the entered result of a call is none. */
export function resultFaultOf({ result }: Draft): JsonFault | null {
  return result.trim() === '' ? null : findJsonFault(result);
}

/** What a person says of a call in doubt. @throws SyntaxError for a result that is no JSON: see `resultFaultOf` */
export function settlingOf({ attempt }: Effect, draft: Draft, outcome: 'completed' | 'not_done'): Settling {
  const reason = draft.reason.trim();
  const body: Settling = { attempt, outcome };
  if (reason !== '') body.reason = reason;
  if (outcome === 'completed' && draft.result.trim() !== '')
    body.result = parseExact(draft.result) as Settling['result'];
  return body;
}

/** The body of a decision: the digest of what was shown, and no more than what was entered. */
export function decisionOf(approval: Approval, draft: Draft, verb: Verb): Decision {
  const reason = draft.reason.trim();
  const body: Decision = { digest: approval.digest };
  if (reason !== '') body.reason = reason;
  if (verb === 'reject') return body;
  const edits = editsOf(approval, draft);
  const decisions: CallDecision[] = [];
  for (const { index } of approval.tool_calls) {
    const edit = edits.get(index);
    if (draft.refused.has(index)) decisions.push({ index, decision: 'reject' });
    else if (edit) decisions.push({ index, decision: 'approve', args: edit.args as CallDecision['args'] });
  }
  if (decisions.length > 0) body.decisions = decisions;
  return body;
}
