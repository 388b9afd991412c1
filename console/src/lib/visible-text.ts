/** A piece of text: either as it is, or one character that would not be seen, or would change how others read. */
export interface TextPiece {
  text: string;
  /** The code point as `U+202E`; absent for ordinary text. */
  hidden?: string;
}

/**
 * What a person cannot see and an attacker can use: control characters, directions of writing, joiners and fillers without width, tags,
 * and surrogates without a partner. Line feeds, returns and tabs are ordinary.
 */
const HIDDEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202f\u205f-\u206f\u3164\ufeff\uffa0\ufff0-\uffff]|\p{Surrogate}|[\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

/** Splits a text so that its hidden characters can be drawn. */
export function visiblePieces(text: string): TextPiece[] {
  const pieces: TextPiece[] = [];
  let from = 0;
  for (const { index, 0: found } of text.matchAll(HIDDEN)) {
    if (index > from) pieces.push({ text: text.slice(from, index) });
    pieces.push({ text: found, hidden: codeName(found) });
    from = index + found.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from) });
  return pieces;
}

function codeName(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}
