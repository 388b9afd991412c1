import { withUnseenShown } from '../common/unseen.js';

const WHITE = /[\t\n\r]\s*/g;
/** Untrusted text on one line, without terminal escapes. */
export function printable(text: string): string {
  return withUnseenShown(text.replaceAll(WHITE, ' '));
}

/** The text, or its beginning and an ellipsis. */
export function cut(text: string, width: number): string {
  const chars = [...text];
  return chars.length <= width ? text : `${chars.slice(0, Math.max(0, width - 1)).join('')}…`;
}
