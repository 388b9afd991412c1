import { graphemesOf } from '../../../common/graphemes.js';
import { FENCE } from '../../../common/markdown.js';

/** An open fenced code block: its marker, and the line that reopens it. */
interface Fence {
  marker: string;
  opening: string;
}

/** Places to split, from best to worst; the next part begins where the match ends. */
const BORDERS = [/\n[ \t]*\n\s*/g, /\n\s*/g, /[.!?…]["')\]]*\s+|[。！？]/g, /\s+/g];

/** In code, prefer line ends, which keep the next line's indentation. */
const CODE_BORDERS = [/\n/g, /\s/g];

/** Longer rows of backticks do not count as code here: repeating them would leave no room. */
const MAX_MARKER = 8;

/**
 * Splits Markdown into parts of at most `limit` UTF-16 units: at the end of a paragraph, else of a line, a sentence, a word, else between
 * two graphemes. Only white space at the splits is lost. A split code block is closed and reopened.
 * @param limit at least 64
 */
export function splitText(text: string, limit: number): string[] {
  const parts: string[] = [];
  let rest = text.trimEnd();
  let fence: Fence | null = null;
  while (rest.trim() !== '') {
    const prefix: string = fence ? `${fence.opening}\n` : '';
    if (prefix.length + rest.length <= limit) return [...parts, prefix + leading(rest, parts)];
    const at: number = cutOf(rest, limit - prefix.length, fence);
    const head: string = rest.slice(0, at);
    const open: Fence | null = fenceAfter(head, fence);
    const closing: string = open ? `\n${open.marker}` : '';
    const part: string = prefix + (open ? head.replace(/\n$/, '') : leading(head, parts).trimEnd()) + closing;
    if (head.trim() !== '') parts.push(part);
    rest = open ? rest.slice(at) : rest.slice(at).replace(/^\s*\n|^[^\S\n]+(?=\S)/, '');
    fence = open;
  }
  return parts;
}

/** Removes leading blank lines from the first part. */
function leading(text: string, parts: readonly string[]): string {
  return parts.length === 0 ? text.replace(/^(?:[^\S\n]*\n)+/, '') : text;
}

/** How much of the text the next part takes. Leaves room to close code that stays open. */
function cutOf(text: string, room: number, fence: Fence | null): number {
  const at = borderOf(text, room, fence);
  const open = fenceAfter(text.slice(0, at), fence);
  if (!open || at + open.marker.length + 1 <= room) return at;
  return borderOf(text, room - open.marker.length - 1, fence);
}

function borderOf(text: string, room: number, fence: Fence | null): number {
  const head = text.slice(0, room);
  const isCode = fenceAfter(head, fence) !== null;
  const borders = isCode ? CODE_BORDERS : BORDERS;
  // The extra characters show whether a border or a grapheme continues.
  const window = text.slice(0, room + 64);
  for (const [i, border] of borders.entries()) {
    const isLast = i === borders.length - 1;
    const at = lastBorder(window, border, isLast ? 0 : room / 2, room);
    if (at > 0) return beforeFenceLine(text, at);
  }
  return beforeFenceLine(text, lastGrapheme(window, room));
}

/** The last place between `from` and `room` where a match ends, or where a run of white space passes `room`. */
function lastBorder(window: string, border: RegExp, from: number, room: number): number {
  let found = 0;
  for (const match of window.matchAll(border)) {
    const end = Math.min(match.index + match[0].length, room);
    if (match.index >= room || end <= from) continue;
    const isTorn = /^[\p{M}\u200d\ufe0f]/u.test(window.slice(end));
    if (!isTorn && window.slice(0, end).trim() !== '') found = end;
  }
  return found;
}

/** The last grapheme boundary that fits; a code point boundary if one grapheme fills the room. */
function lastGrapheme(window: string, room: number): number {
  const segment = graphemesOf(window).containing(room);
  const at = segment?.index ?? room;
  if (at > 0) return at;
  return /^[\uDC00-\uDFFF]/.test(window.slice(room)) ? room - 1 : room;
}

/** Never within a line that opens or closes code, nor right after one that opens it. */
function beforeFenceLine(text: string, at: number): number {
  const isAtLineEnd = text[at - 1] === '\n';
  const lineStart = text.lastIndexOf('\n', at - (isAtLineEnd ? 2 : 1)) + 1;
  const lineEnd = text.indexOf('\n', lineStart);
  const line = text.slice(lineStart, lineEnd === -1 ? text.length : lineEnd);
  return lineStart > 0 && lineStart < at && FENCE.test(line) ? lineStart : at;
}

/** The code block that is open after the text, given the one open before it. */
function fenceAfter(text: string, before: Fence | null): Fence | null {
  let fence = before;
  for (const line of text.split('\n')) {
    const { marker, language = '' } = FENCE.exec(line)?.groups ?? {};
    if (marker === undefined || marker.length > MAX_MARKER) continue;
    if (fence === null) fence = { marker, opening: marker + language };
    else if (language === '' && marker.startsWith(fence.marker)) fence = null;
  }
  return fence;
}
