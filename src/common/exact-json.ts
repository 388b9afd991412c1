import { isUtf8 } from 'node:buffer';
import { quoteNumbers } from './exact-number.js';
import { JsonCheck } from './json-check.js';

/** Limit of nesting: no serious text has more levels. */
const MAX_DEPTH = 100;
const BYTE_ORDER_MARK = '\ufeff';
/** From this many digits, JSON.parse may round a whole number. */
const LONG_INTEGER = /^-?\d{16,}$/;

/**
 * Reads foreign JSON and keeps its identifiers exact: integers of 16 digits and more become strings, because a double cannot hold all of
 * them. Takes time proportional to the length, whatever the text.
 * @returns undefined for text that is not JSON, not UTF-8, or nested deeper than 100 levels
 */
export function parseExactJson(source: Buffer | string): unknown {
  if (typeof source !== 'string' && !isUtf8(source)) return undefined;
  const all = source.toString();
  const text = all.startsWith(BYTE_ORDER_MARK) ? all.slice(1) : all;
  const check = new JsonCheck(Buffer.from(text));
  check.advance(Infinity);
  if (check.fault !== null || check.deepestLevel > MAX_DEPTH) return undefined;
  return JSON.parse(quoteNumbers(text, (token) => LONG_INTEGER.test(token)));
}
