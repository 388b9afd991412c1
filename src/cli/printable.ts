import { escapeInvisible } from '../common/invisible-characters.js';

const WHITE = /[\t\n\r]\s*/g;

/** Untrusted text on one line, without terminal escapes. */
export function printable(text: string): string {
  return escapeInvisible(text.replaceAll(WHITE, ' '));
}

/** Untrusted text with its line breaks, without terminal escapes. */
export function printableLines(text: string): string {
  return escapeInvisible(text.replaceAll('\r\n', '\n').replaceAll('\t', '  '), '\n');
}
