import { parsedJson } from '../../common/parsed-json.js';
import type { SqlRow } from '../../database/database.js';
import { APPROVAL_KINDS, APPROVAL_STATUSES } from './approval.entity.js';

/** The fault of an imported approval's row; null if it has none. */
export function approvalFault({
  status,
  kind,
  verb,
  tool_calls,
  features,
  decisions,
  reminders,
}: SqlRow): string | null {
  if (!APPROVAL_STATUSES.some((one) => one === status)) return 'approval.status must be that of an approval.';
  if (!APPROVAL_KINDS.some((one) => one === kind)) return 'approval.kind must be approval or question.';
  if (![null, 'approve', 'reject', 'answer'].includes(verb as string | null))
    return 'approval.verb must be approve, reject or answer.';
  if (!areCalls(String(tool_calls)))
    return 'approval.tool_calls must be a JSON array, or an object whose lists have calls with args and raw.';
  if (!isTextList(parsedJson(String(features)))) return 'approval.features must be a JSON array of strings.';
  if (reminders !== null && !isNumberList(parsedJson(String(reminders))))
    return 'approval.reminders must be a JSON array of numbers.';
  const areKept = decisions === null || isListOf(parsedJson(String(decisions)), isKept);
  return areKept ? null : 'approval.decisions must be a JSON array of decisions or nulls.';
}

/** As reported, or cut calls in an object: readers tell them apart by the first character. */
function areCalls(text: string): boolean {
  const value = parsedJson(text);
  if (text.startsWith('[')) return Array.isArray(value);
  const isCut = (call: unknown) => isObject(call) && 'args' in call && 'raw' in call;
  return text.startsWith('{') && isObject(value) && Object.values(value).every((list) => isListOf(list, isCut));
}

/** See `KeptDecision`. */
function isKept(value: unknown): boolean {
  if (value === null) return true;
  if (!isObject(value)) return false;
  const { decision, edited_args: args, reason = null, answers = {}, rule_id: rule = '' } = value;
  const isVerb = ['approve', 'reject', 'answer'].includes(String(decision));
  const isJson = args === null || (typeof args === 'string' && parsedJson(args) !== undefined);
  const isTold = (reason === null || typeof reason === 'string') && typeof rule === 'string';
  return isVerb && isJson && isTold && isObject(answers);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isListOf(value: unknown, isOne: (one: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isOne);
}

function isTextList(value: unknown): boolean {
  return isListOf(value, (one) => typeof one === 'string');
}

function isNumberList(value: unknown): boolean {
  return isListOf(value, (one) => typeof one === 'number');
}
