import { isUtf8 } from 'node:buffer';

/** Texts with more levels of nesting are not read: nothing serious has them. */
const MAX_DEPTH = 100;

/** From this many digits, JSON.parse may round a whole number. */
const LONG_DIGITS = 16;

const QUOTE = 0x22;
const MINUS = 0x2d;
const OPENING = new Set(['{', '['].map(codeOf));
const CLOSING = new Set(['}', ']'].map(codeOf));
/** Characters that make a number something other than an integer. */
const FRACTION = new Set(['.', 'e', 'E', '+'].map(codeOf));

/**
 * Reads JSON that somebody else wrote and keeps its identifiers exact: integers of 16 digits and more come as strings, because a
 * double cannot hold all of them. The time is proportional to the length, whatever the text holds.
 * @returns undefined for what is not JSON, not UTF-8, or nested deeper than 100 levels
 */
export function parseExactJson(source: Buffer | string): unknown {
  if (typeof source !== 'string' && !isUtf8(source)) return undefined;
  const all = source.toString();
  const text = all.charCodeAt(0) === 0xfeff ? all.slice(1) : all;
  const integers = longIntegersOf(text);
  if (integers === null) return undefined;
  try {
    return JSON.parse(quoted(text, integers)) as unknown;
  } catch {
    return undefined;
  }
}

type Range = readonly [from: number, to: number];

/** The places of long integers outside strings; null for a text that is nested too deep. */
function longIntegersOf(text: string): Range[] | null {
  const found: Range[] = [];
  let depth = 0;
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at);
    if (isDigit(code)) {
      const end = endOfDigits(text, at);
      if (end - at >= LONG_DIGITS && isWhole(text, at, end)) found.push([beforeSign(text, at), end]);
      at = end;
      continue;
    }
    if (OPENING.has(code) && ++depth > MAX_DEPTH) return null;
    if (CLOSING.has(code)) depth -= 1;
    at = code === QUOTE ? endOfString(text, at) : at + 1;
  }
  return found;
}

function quoted(text: string, ranges: readonly Range[]): string {
  let [all, at] = ['', 0];
  for (const [from, to] of ranges) {
    all += `${text.slice(at, from)}"${text.slice(from, to)}"`;
    at = to;
  }
  return at === 0 ? text : all + text.slice(at);
}

function endOfDigits(text: string, from: number): number {
  let at = from;
  while (at < text.length && isDigit(text.charCodeAt(at))) at += 1;
  return at;
}

function isWhole(text: string, from: number, to: number): boolean {
  const before = text.charCodeAt(beforeSign(text, from) - 1);
  return text[from] !== '0' && !FRACTION.has(before) && !FRACTION.has(text.charCodeAt(to));
}

function beforeSign(text: string, from: number): number {
  return text.charCodeAt(from - 1) === MINUS ? from - 1 : from;
}

/** The place after the string that begins at `quote`. */
function endOfString(text: string, quote: number): number {
  let at = quote;
  for (;;) {
    at = text.indexOf('"', at + 1);
    if (at === -1) return text.length;
    let before = at - 1;
    while (text[before] === '\\') before -= 1;
    if ((at - before) % 2 === 1) return at + 1;
  }
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function codeOf(character: string): number {
  return character.charCodeAt(0);
}
