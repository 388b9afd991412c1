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
  if (!isObject(parsedJson(String(tool_calls)))) return 'approval.tool_calls must be a JSON array or object.';
  if (!isTextList(parsedJson(String(features)))) return 'approval.features must be a JSON array of strings.';
  if (reminders !== null && !isNumberList(parsedJson(String(reminders))))
    return 'approval.reminders must be a JSON array of numbers.';
  const isList = decisions === null || Array.isArray(parsedJson(String(decisions)));
  return isList ? null : 'approval.decisions must be a JSON array.';
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function isNumberList(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'number');
}
