import { parsedJson } from '../../../common/parsed-json.js';
import { EVENT_KINDS } from '../entities/thread-event.entity.js';
import { MAX_SAID, SPEAKERS } from '../shapes/last-message.js';
import { MAX_TIME } from './table-shapes.js';

/** Ranges of places: `0-59,64-70`, empty for none; see `message-log/ranges.ts`. */
const RANGES = /^(\d{1,10}(-\d{1,10})?(,\d{1,10}(-\d{1,10})?)*)?$/;

/** See `event-digests.ts`. */
const LIST_DIGESTS = /^([\w-]{22}){0,2}$/;

/** The required format of a column's text, which readers rely on; other columns may hold any text. */
const RULES: Readonly<Record<string, readonly [expected: string, rule: (text: string) => boolean]>> = {
  'thread.agents': ['a JSON array of texts', isTexts],
  'thread.last_message': ['a JSON object with role and text', isLastMessage],
  'run.ending': ['a JSON object with the figures of an ending', isEnding],
  'run.mark': ['a JSON object with status, occurredAtMs and replayed', isRestartMark],
  'run.retry': ['a JSON object with atMs, extraAttempts, pausedMs and isOpen', isRunRetry],
  'run.error': ['JSON', isJson],
  'run.began_by': ['a JSON array of texts', isTexts],
  'run.parent_by': ['a JSON array of texts', isTexts],
  'run.reported_by': ['a JSON array of texts', isTexts],
  'run_lease.began_by': ['a JSON array of texts', isTexts],
  'checkpoint.history': ['ranges', isRanges],
  'checkpoint.history_meta': ['ranges', isRanges],
  'checkpoint.list_digests': ['up to two digests', (text) => LIST_DIGESTS.test(text)],
  'checkpoint.pending_tool_calls': ['a JSON array', (text) => Array.isArray(parsedJson(text))],
  'checkpoint.extra': ['members of a JSON object', (text) => text.trim() !== '' && isJsonObject(`{${text}}`)],
  'checkpoint.error': ['JSON', isJson],
  'checkpoint.approval': ['a JSON object', isJsonObject],
  'message.body': ['JSON', isJson],
  'thread_event.kind': [`one of ${EVENT_KINDS.join(', ')}`, (text) => EVENT_KINDS.some((kind) => kind === text)],
  'thread_event.data': ['JSON', isJson],
};

/** What is wrong with the text of an imported column; null if nothing is. */
export function textFault(table: string, column: string, text: string): string | null {
  const [expected, rule] = RULES[`${table}.${column}`] ?? [];
  return rule === undefined || rule(text) ? null : `${table}.${column} must be ${expected}.`;
}

function isRanges(text: string): boolean {
  return RANGES.test(text) && text.split(',').every((range) => isAscending(range.split('-').map(Number)));
}

function isAscending([from = 0, to = from]: readonly number[]): boolean {
  return from <= to;
}

function isTexts(text: string): boolean {
  return isListOf('string', parsedJson(text));
}

function isLastMessage(text: string): boolean {
  const { role, text: said, ...others } = Object(parsedJson(text)) as Record<string, unknown>;
  const isShort = typeof said === 'string' && said.length <= MAX_SAID;
  return isShort && SPEAKERS.some((speaker) => speaker === role) && Object.keys(others).length === 0;
}

function isRunRetry(text: string): boolean {
  const { atMs, extraAttempts, pausedMs, isOpen } = Object(parsedJson(text)) as Record<string, unknown>;
  const isWhole = Number.isSafeInteger(extraAttempts) && Number.isSafeInteger(pausedMs);
  return isTimeOrNull(atMs) && isWhole && typeof isOpen === 'boolean';
}

function isRestartMark(text: string): boolean {
  const { status, occurredAtMs, replayed } = Object(parsedJson(text)) as Record<string, unknown>;
  return typeof status === 'string' && isTimeOrNull(occurredAtMs) && isListOf('number', replayed);
}

function isEnding(text: string): boolean {
  if (!isJsonObject(text)) return false;
  const { occurredAtMs, begunAtMs, queuedAtMs, ...figures } = parsedJson(text) as Record<string, unknown>;
  const numbers = [figures.tokens_used, figures.run_cost_usd, figures.budget_usd];
  const areFigures =
    numbers.every((one) => typeof (one ?? 0) === 'number') && typeof (figures.model ?? '') === 'string';
  const areTimes = isTimeOrNull(occurredAtMs ?? null) && isTimeOrNull(begunAtMs ?? null);
  return areFigures && areTimes && isListOf('number', queuedAtMs ?? []);
}

function isTimeOrNull(value: unknown): boolean {
  return value === null || (Number.isSafeInteger(value) && Math.abs(value as number) <= MAX_TIME);
}

function isListOf(type: 'number' | 'string', value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === type);
}

function isJsonObject(text: string): boolean {
  const value = parsedJson(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isJson(text: string): boolean {
  return parsedJson(text) !== undefined;
}
