import { ATTACHMENT } from '../../../common/contract/event-types.js';
import { megabytes } from '../../../common/file-name.js';
import {
  type JsonObject,
  compactJson,
  cutText,
  isObject,
  isTooLargeToShow,
  numberOf,
  parseJson,
  textOf,
  tooLargeText,
} from '../shapes/json-text.js';
import type { LogEntry, LogLevel, LogSource } from './log-entry.js';

/** Fields of an event's data that its entry already has. */
const ENTRY_FIELDS = new Set(['thread_id', 'trace_id', 'agent_id', 'step_index']);

/**
 * The entry of an event that is no checkpoint: `budget_warning` at warn, `thread_error` and `thread_budget_exceeded` at error, every other
 * type at info with its data. Never throws.
 * @param dataText the JSON text of the event's `data`
 */
export function eventLogEntry(type: string, dataText: string, source: LogSource): LogEntry {
  const data = readData(dataText);
  const [level, message] = describe(type, data);
  const { ts, step_index } = source;
  // An event of an unknown type may name a run that has not begun.
  const agent_id = source.agent_id || (textOf(data.agent_id) ?? '');
  const trace_id = source.trace_id || (textOf(data.trace_id) ?? '');
  return { ts, level, kind: 'event', message, agent_id, trace_id, step_index };
}

/**
 * The entry of a person's order for a run. Agents cannot create such an entry with any event type.
 * @param dataText JSON of `RunOrder`; older versions stored less
 */
export function orderLogEntry(event: 'run_cancelled' | 'run_retried', dataText: string, source: LogSource): LogEntry {
  const data = readData(dataText);
  const [by, reason] = [data.by, data.reason].map(textOf);
  const what = event === 'run_cancelled' ? 'The run was cancelled' : 'The run was retried';
  const message = cutText(`${what}${by === undefined ? '' : ` by ${by}`}${reason === undefined ? '' : `: ${reason}`}`);
  const { ts, agent_id, trace_id, step_index } = source;
  const level = event === 'run_cancelled' ? 'warn' : 'info';
  const said = { ...(by === undefined ? {} : { by }), ...(reason === undefined ? {} : { reason }) };
  return { ts, level, kind: 'event', message, agent_id, trace_id, step_index, event, ...said };
}

function describe(type: string, data: JsonObject): [LogLevel, string] {
  if (type === 'budget_warning') return ['warn', withSpending(sentenceOf(data) ?? 'Budget warning', data)];
  if (type === 'thread_budget_exceeded') return ['error', withSpending(sentenceOf(data) ?? 'Budget exceeded', data)];
  if (type === 'thread_error') return ['error', errorText(data)];
  if (type === ATTACHMENT) return ['info', cutText(attachmentText(data))];
  const rest = restOf(data);
  return ['info', cutText(rest === '' ? type : `${type} ${rest}`)];
}

/** A file for a chat. */
function attachmentText({ name, size_bytes, caption }: JsonObject): string {
  const [named, said] = [textOf(name) ?? 'unnamed', textOf(caption)];
  return `Attachment: ${named} (${megabytes(numberOf(size_bytes) ?? 0)})${said === undefined ? '' : `: ${said}`}`;
}

/** The reporter's own words. */
function sentenceOf(data: JsonObject): string | undefined {
  return [data.message, data.detail, data.reason].map(textOf).find((text) => text !== undefined);
}

function withSpending(sentence: string, data: JsonObject): string {
  const spentUsd = numberOf(data.run_cost_usd);
  const budgetUsd = numberOf(data.budget_usd);
  if (spentUsd === undefined) return sentence;
  if (budgetUsd === undefined) return `${sentence}: ${dollars(spentUsd)} spent`;
  return `${sentence}: ${dollars(spentUsd)} of ${dollars(budgetUsd)} spent`;
}

/** Whole cents if exact: a run may cost a fraction of a cent. */
function dollars(amountUsd: number): string {
  const cents = amountUsd.toFixed(2);
  return `$${Number(cents) === amountUsd ? cents : String(amountUsd)}`;
}

/** `error` as text, or its `message` and `type` if it is an object; otherwise the whole data. */
function errorText(data: JsonObject): string {
  const { error } = data;
  const text = textOf(error) ?? (isObject(error) ? (nestedErrorText(error) ?? compactJson(error)) : sentenceOf(data));
  return cutText(text ?? (restOf(data) || 'The run failed'));
}

function nestedErrorText(error: JsonObject): string | undefined {
  const message = sentenceOf(error);
  const name = textOf(error.type) ?? textOf(error.name) ?? textOf(error.code);
  if (message === undefined || name === undefined || message.includes(name)) return message;
  return `${name}: ${message}`;
}

/** The data without what the entry already says, as compact JSON; empty if nothing is left. */
function restOf(data: JsonObject): string {
  const rest = Object.entries(data).filter(([field]) => !ENTRY_FIELDS.has(field));
  return rest.length === 0 ? '' : compactJson(Object.fromEntries(rest));
}

function readData(dataText: string): JsonObject {
  if (isTooLargeToShow(dataText)) return { message: tooLargeText(dataText) };
  try {
    const data = parseJson(dataText);
    return isObject(data) ? data : { data };
  } catch {
    return { data: dataText };
  }
}
