import { randomUUID } from 'node:crypto';
import { MAX_PARSED_LENGTH } from '../../../common/json-limits.js';

export type JsonObject = Record<string, unknown>;

/** Characters of a value that nobody knows how to read; the history beside the logs has it whole. */
const UNKNOWN_LENGTH_LIMIT = 4_000;

/** Numbers kept exact in one message; further ones are rounded, so that a message of nothing else costs no memory. */
const EXACT_NUMBER_LIMIT = 10_000;

/** Marks a number that is kept as text inside a parsed value; random, so that no message can hold it. */
const EXACT_KEY = randomUUID();
const EXACT_NUMBER = new RegExp(`\\{"${EXACT_KEY}":"([^"]*)"\\}`, 'g');

/** A cheap sign of numbers that a double may not hold: sixteen digits in a row, or an exponent. */
const MAYBE_INEXACT = /[\d.]{16}|\d[eE][+-]?\d/;

/** Whether nobody may parse the text to show it: what a short text of millions of values becomes fills the memory. */
export function isTooLargeToShow(text: string): boolean {
  return text.length > MAX_PARSED_LENGTH;
}

/** Replaces a text that is too large to show: says so, and shows its beginning. */
export function tooLargeText(text: string): string {
  return cutText(`too large to show (${text.length} characters): ${text.slice(0, UNKNOWN_LENGTH_LIMIT)}`);
}

/**
 * Parses JSON text so that `compactJson` writes every number with the digits it came with.
 * Numbers that a double can't hold become opaque objects inside the value.
 * @throws SyntaxError when the text is not JSON.
 */
export function parseJson(text: string): unknown {
  return JSON.parse(MAYBE_INEXACT.test(text) ? wrapInexactNumbers(text) : text);
}

/** A value of `parseJson` as JSON text on one line; values nested too deeply for that are named instead of shown. */
export function compactJson(value: unknown): string {
  try {
    return (JSON.stringify(value) ?? '').replace(EXACT_NUMBER, '$1');
  } catch {
    // JSON.parse takes any depth, JSON.stringify ends with a RangeError at some thousands of levels.
    return '[JSON nested too deeply to show]';
  }
}

/** At most `limit` characters of the text, with an ellipsis where something was cut; never half a surrogate pair. */
export function cutText(text: string, limit = UNKNOWN_LENGTH_LIMIT): string {
  if (text.length <= limit) return text;
  const last = text.charCodeAt(limit - 1);
  const isHighSurrogate = last >= 0xd800 && last <= 0xdbff;
  return `${text.slice(0, isHighSurrogate ? limit - 1 : limit)}…`;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

export function firstPresent(...values: unknown[]): unknown {
  return values.find(isPresent);
}

/**
 * JSON text with its longer strings cut to about `kept` characters, still JSON.
 * @returns null where it is longer than `limit` even so
 */
export function shortenStrings(text: string, kept: number, limit: number): string | null {
  let shortened = '';
  let copied = 0;
  for (let quote = text.indexOf('"'); quote !== -1; quote = text.indexOf('"', copied)) {
    const end = endOfString(text, quote);
    const isLong = end - quote > kept;
    shortened +=
      text.slice(copied, quote) +
      (isLong ? `${wholeEscapes(text.slice(quote, quote + kept))}"` : text.slice(quote, end));
    copied = end;
    if (shortened.length > limit) return null;
  }
  shortened += text.slice(copied);
  return shortened.length > limit ? null : shortened;
}

/** The value where it is a non-empty string. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** An id in any of its spellings: some programs count their calls with plain numbers. */
export function idOf(value: unknown): string | undefined {
  return typeof value === 'number' ? String(value) : textOf(value);
}

/** The value where it is a number, also one that a double holds only roughly. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  const exact = isObject(value) ? value[EXACT_KEY] : undefined;
  return typeof exact === 'string' ? Number(exact) : undefined;
}

function wrapInexactNumbers(text: string): string {
  const tokens = /"|-?\d[\d.eE+-]*/g;
  let wrapped = '';
  let copied = 0;
  let left = EXACT_NUMBER_LIMIT;
  for (let match = tokens.exec(text); match !== null && left > 0; match = tokens.exec(text)) {
    const token = match[0];
    if (token === '"') tokens.lastIndex = endOfString(text, match.index);
    else if (isInexact(token)) {
      wrapped += `${text.slice(copied, match.index)}{"${EXACT_KEY}":"${token}"}`;
      copied = tokens.lastIndex;
      left -= 1;
    }
  }
  return wrapped + text.slice(copied);
}

/** Whether a double may hold another number than the token says: too many digits, too large or too small. */
function isInexact(token: string): boolean {
  const value = Number(token);
  if (String(value) === token) return false;
  if (!Number.isFinite(value) || value === 0) return true;
  const digits = token.replace(/[eE].*$/, '').replace(/\D/g, '');
  return digits.length > 15;
}

/** The beginning of a string without an escape that is cut in two. */
function wholeEscapes(text: string): string {
  const last = text.lastIndexOf('\\');
  let backslashes = 0;
  while (text[last - backslashes] === '\\') backslashes += 1;
  if (backslashes % 2 === 0) return text;
  const length = text[last + 1] === 'u' ? 6 : 2;
  return text.length - last < length ? text.slice(0, last) : text;
}

/** The index after the closing quote of the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (quote !== -1) {
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
    quote = text.indexOf('"', quote + 1);
  }
  return text.length;
}
