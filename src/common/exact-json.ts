import { isUtf8 } from 'node:buffer';

/** Levels of nesting beyond which a text is not read: nothing that is meant seriously has them. */
const MAX_DEPTH = 100;

/** Whole numbers that JSON.parse might round. */
const LONG_INTEGER = /(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g;

/**
 * Reads JSON that somebody else wrote, for its identifiers: integers of 16 digits and more come as strings, since a double cannot
 * hold all of them. Takes time in proportion to the length, whatever the text holds.
 * @returns undefined for what is not JSON, not UTF-8, or nested deeper than 100 levels
 */
export function parseExactJson(source: Buffer | string): unknown {
  if (typeof source !== 'string' && !isUtf8(source)) return undefined;
  const text = source.toString();
  const quoted = quoteLongIntegers(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  if (quoted === null) return undefined;
  try {
    return JSON.parse(quoted) as unknown;
  } catch {
    return undefined;
  }
}

/** The text with quotes around long integers outside of strings; null where it is nested too deep. */
function quoteLongIntegers(text: string): string | null {
  const parts: string[] = [];
  let depth = 0;
  let at = 0;
  while (at < text.length) {
    const quote = text.indexOf('"', at);
    const outside = text.slice(at, quote === -1 ? text.length : quote);
    depth = depthAfter(outside, depth);
    if (depth > MAX_DEPTH) return null;
    parts.push(outside.replace(LONG_INTEGER, '"$&"'));
    if (quote === -1) break;
    at = endOfString(text, quote);
    parts.push(text.slice(quote, at));
  }
  return parts.join('');
}

/** The depth at the end of a text without strings; more than the limit as soon as it was passed. */
function depthAfter(text: string, before: number): number {
  let depth = before;
  for (let i = 0; i < text.length && depth <= MAX_DEPTH; i++) {
    const character = text[i];
    if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
  }
  return depth;
}

/** Where the string that begins at `quote` has ended. */
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
