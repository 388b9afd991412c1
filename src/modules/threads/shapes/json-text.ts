import { endOfString, ExactNumber, parseExact, stringifyExact } from '../../../common/exact-number.js';
import { MAX_PARSED_LENGTH } from '../../../common/json-limits.js';

export type JsonObject = Record<string, unknown>;

/** Characters shown of a value in an unknown shape; the history has it in full. */
export const SHOWN_LENGTH = 4_000;

/** Numbers kept exact in one message; further ones are rounded, which bounds the memory. */
const EXACT_NUMBER_LIMIT = 10_000;

/** Whether the text is too large to parse for display: its values may take many times its size in memory. */
export function isTooLargeToShow(text: string): boolean {
  return text.length > MAX_PARSED_LENGTH;
}

/**
 * Stands for a text that is too large to show: says so and shows its beginning.
 * @param text the text, or at least the part that is shown
 */
export function tooLargeText(text: string, length = text.length): string {
  return cutText(`too large to show (${length} characters): ${text.slice(0, SHOWN_LENGTH)}`);
}

/**
 * Parses JSON text so that `compactJson` writes every number with its original digits.
 * @throws SyntaxError if the text is not JSON
 */
export function parseJson(text: string): unknown {
  return parseExact(text, { limit: EXACT_NUMBER_LIMIT });
}

/** A value of `parseJson` as JSON text on one line; too deeply nested values get a placeholder. */
export function compactJson(value: unknown): string {
  try {
    return stringifyExact(value);
  } catch {
    // JSON.parse accepts any depth; JSON.stringify throws a RangeError at some thousands of levels.
    return '[JSON nested too deeply to show]';
  }
}

/** At most `limit` characters of the text, with an ellipsis if cut; never half a surrogate pair. */
export function cutText(text: string, limit = SHOWN_LENGTH): string {
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
 * JSON text with longer strings cut to about `kept` characters; still JSON.
 * @returns null if it is still longer than `limit`
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

/** The value if it is a non-empty string. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** An id in any spelling: some programs count their calls with plain numbers. */
export function idOf(value: unknown): string | undefined {
  return typeof value === 'number' || value instanceof ExactNumber ? String(value) : textOf(value);
}

/** The value if it is a number, even one that a double cannot represent exactly. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return value instanceof ExactNumber ? Number(value.digits) : undefined;
}

/** The beginning of a string without a cut-off escape. */
function wholeEscapes(text: string): string {
  const last = text.lastIndexOf('\\');
  let backslashes = 0;
  while (text[last - backslashes] === '\\') backslashes += 1;
  if (backslashes % 2 === 0) return text;
  const length = text[last + 1] === 'u' ? 6 : 2;
  return text.length - last < length ? text.slice(0, last) : text;
}
