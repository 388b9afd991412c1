import stringWidth from 'string-width';
import { graphemesOf } from '../common/graphemes.js';

/** Most texts are like this, and need no look at each letter. */
const PLAIN = /^[\u0020-\u007e]*$/;

/** The columns that a text without line breaks takes on a terminal. */
export function textWidth(text: string): number {
  return PLAIN.test(text) ? text.length : stringWidth(text);
}

export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)));
}

/** The text, or its beginning and an ellipsis, in at most `width` columns. */
export function truncate(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  return `${text.slice(0, fittingLength(text, Math.max(0, width - 1)))}…`;
}

/**
 * The lines of a text, each in at most `width` columns and broken between words where that is possible. They come one by one, so that
 * whoever needs only some of a long text does not wait for the others.
 */
export function* wrapLines(text: string, width = Infinity): Generator<string> {
  for (const line of text.split('\n')) yield* wrappedLine(line, Math.max(width, 2));
}

function* wrappedLine(line: string, width: number): Generator<string> {
  let rest = line;
  while (rest.length > width / 2) {
    // No letter takes more than a handful of units, so this is enough to look at.
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

/** The length of the beginning that fits. */
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
