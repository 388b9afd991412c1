const WHITE = /[\t\n\r]\s*/g;
/** Control characters, and those that turn the direction of writing: both can make a screen show what is not there. */
const UNSEEN = /[\p{Cc}\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Text of a stranger on one line, with nothing in it that a terminal would obey. */
export function printable(text: string): string {
  return text
    .replaceAll(WHITE, ' ')
    .replaceAll(UNSEEN, (char) => `\\u${char.codePointAt(0)!.toString(16).padStart(4, '0')}`);
}

/** The text, or its beginning and an ellipsis. */
export function cut(text: string, width: number): string {
  const chars = [...text];
  return chars.length <= width ? text : `${chars.slice(0, Math.max(0, width - 1)).join('')}…`;
}
