import stringWidth from 'string-width';
import { graphemesOf } from '../common/graphemes.js';

/** Fast path: most texts are ASCII, one column per character. */
const PLAIN = /^[\u0020-\u007e]*$/;

/** Terminal columns of a text without line breaks. */
export function textWidth(text: string): number {
  return PLAIN.test(text) ? text.length : stringWidth(text);
}

export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)));
}

/** Cuts the text to at most `width` columns, with an ellipsis where it was cut. */
export function truncate(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  return `${text.slice(0, fittingLength(text, Math.max(0, width - 1)))}…`;
}

/** Wraps a text to at most `width` columns, between words if possible. Yields lines lazily: callers often need only the first few. */
export function* wrapLines(text: string, width = Infinity): Generator<string> {
  for (const line of text.split('\n')) yield* wrappedLine(line, Math.max(width, 2));
}

function* wrappedLine(line: string, width: number): Generator<string> {
  let rest = line;
  while (rest.length > width / 2) {
    // A column takes at most a few UTF-16 units, so this window is long enough.
    const window = Number.isFinite(width) ? rest.slice(0, width * 12) : rest;
    if (textWidth(window) <= width) break;
    const fitting = Math.max(fittingLength(window, width), 1);
    const space = rest.lastIndexOf(' ', fitting);
    const isAtWord = space > 0 && rest.slice(0, space).trim() !== '';
    yield rest.slice(0, isAtWord ? space : fitting).trimEnd();
    rest = rest.slice(isAtWord ? space + 1 : fitting);
  }
  yield rest;
}

/** Length of the longest prefix that fits. */
function fittingLength(text: string, width: number): number {
  if (PLAIN.test(text)) return width;
  let [length, left] = [0, width];
  for (const { segment } of graphemesOf(text)) {
    left -= textWidth(segment);
    if (left < 0) break;
    length += segment.length;
  }
  return length;
}
