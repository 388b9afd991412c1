import { MAX_AMOUNT } from '../../../common/amounts.js';
import { isReminders, REMINDERS_EXPECTED } from '../../../common/contract/reminders.js';
import type { FieldFault } from '../../../common/domain-error.js';
import { timeMs } from '../../../common/reported-time.js';

const MAX_INT32 = 2_147_483_647;
const MAX_ID_LENGTH = 512;
const MAX_TEXT_LENGTH = 1_024;

const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** Returns what is expected if the value is wrong, otherwise null. Never called with null or undefined, which mean absent. */
export type FieldRule = (value: unknown) => string | null;

/** Built once: most values are valid. */
const ID_EXPECTED = `a string of 1 to ${MAX_ID_LENGTH} characters without control characters, not "." or ".."`;

export const isId: FieldRule = (value) => {
  if (typeof value !== 'string' || value === '' || value === '.' || value === '..') return ID_EXPECTED;
  const isShort = value.length <= MAX_ID_LENGTH || [...value].length <= MAX_ID_LENGTH;
  const isFine = isShort && !CONTROL.test(value) && value.isWellFormed();
  return isFine ? null : ID_EXPECTED;
};

export const isText: FieldRule = (value) => {
  const isFine =
    typeof value === 'string' && value.length <= MAX_TEXT_LENGTH && !value.includes('\0') && value.isWellFormed();
  return isFine ? null : `a string of at most ${MAX_TEXT_LENGTH} characters without U+0000`;
};

export const isNonEmptyText: FieldRule = (value) =>
  value === '' || isText(value) !== null ? `a non-empty string of at most ${MAX_TEXT_LENGTH} characters` : null;

/** Limited only by the size of the event. */
export const isLongText: FieldRule = (value) =>
  typeof value === 'string' && !value.includes('\0') && value.isWellFormed() ? null : 'a string without U+0000';

/** As in the paths of attachments. */
export const isDigest: FieldRule = (value) =>
  typeof value === 'string' && /^[0-9a-f]{64}$/.test(value) ? null : 'a SHA-256 in lower-case hexadecimal';

export const isCount: FieldRule = (value) => (isIntegerIn(value, 0) ? null : `an integer from 0 to ${MAX_INT32}`);

export const isSequence: FieldRule = (value) =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? null : 'a non-negative integer';

export const isFence: FieldRule = (value) =>
  Number.isSafeInteger(value) && Number(value) >= 1 ? null : 'the number that a lease gave';

export const isAmount: FieldRule = (value) =>
  isSpan(value) === null && Number(value) <= MAX_AMOUNT ? null : `a number from 0 to ${MAX_AMOUNT}`;

/** A duration, also fractional. */
export const isSpan: FieldRule = (value) =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? null : 'a finite number, not negative';

export const isBoolean: FieldRule = (value) => (typeof value === 'boolean' ? null : 'true or false');

export const isList: FieldRule = (value) => (Array.isArray(value) ? null : 'an array');

export const isListOfTexts: FieldRule = (value) =>
  Array.isArray(value) && value.every((text) => isText(text) === null) ? null : 'an array of strings';

export const areReminders: FieldRule = (value) => (isReminders(value) ? null : REMINDERS_EXPECTED);

export const isTime: FieldRule = (value) =>
  timeMs(value) !== null
    ? null
    : 'an ISO 8601 time such as 2026-01-31T09:30:00.000Z, or the seconds or milliseconds since 1970';

/** Calls to this address carry a token, so it may contain nothing else. */
export const isHttpUrl: FieldRule = (value) => {
  const expected = 'an http:// or https:// URL without user, query and fragment';
  if (typeof value !== 'string' || value.length > MAX_TEXT_LENGTH || !URL.canParse(value)) return expected;
  const { protocol, username, password, search, hash } = new URL(value);
  const isBare = [username, password, search, hash].every((part) => part === '');
  return isBare && (protocol === 'http:' || protocol === 'https:') ? null : expected;
};

export type FieldRules = ReadonlyMap<string, FieldRule>;

export function rulesOf(rules: Readonly<Record<string, FieldRule>>): FieldRules {
  return new Map(Object.entries(rules));
}

/** Adds a fault for each present field that breaks its rule. */
export function checkFields(
  values: Readonly<Record<string, unknown>>,
  rules: FieldRules,
  prefix: string,
  faults: FieldFault[],
): void {
  for (const name in values) {
    const value = values[name];
    if (value === null || value === undefined) continue;
    const expected = rules.get(name)?.(value) ?? null;
    if (expected !== null) faults.push({ path: prefix + name, detail: `expected ${expected}, got ${kindOf(value)}` });
  }
}

/** Names a value's type without repeating the value. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  if (typeof value !== 'string') return typeof value === 'number' ? `the number ${value}` : `${typeof value}`;
  return value === '' ? 'an empty string' : 'a string';
}

function isIntegerIn(value: unknown, min: number): boolean {
  return Number.isInteger(value) && Number(value) >= min && Number(value) <= MAX_INT32;
}
