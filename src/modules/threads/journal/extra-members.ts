import { membersOf } from '../../../common/member-values.js';
import { LongText } from '../../../common/long-text.js';
import type { ExtraMember } from './reported-event.js';

/** Pieces that a database puts together; with each more it copies the ones before once more. */
const MAX_PIECES = 4;

/** Members as they are stored and given back: JSON text without the braces; null for none. */
export function extraText(members: readonly ExtraMember[]): string | LongText | null {
  if (members.length === 0) return null;
  const pieces: (string | LongText)[] = [];
  let text = '';
  for (const { name, value } of members) {
    text += `${text === '' && pieces.length === 0 ? '' : ','}${name}:`;
    if (typeof value === 'string') {
      text += value;
      continue;
    }
    pieces.push(text, value);
    text = '';
  }
  return pieces.length === 0 ? text : inPieces(text === '' ? pieces : [...pieces, text]);
}

function inPieces(pieces: readonly (string | LongText)[]): LongText {
  const parts = pieces.flatMap((piece) => (typeof piece === 'string' ? [Buffer.from(piece)] : piece.parts));
  return LongText.inParts(parts.length > MAX_PIECES ? [Buffer.concat(parts)] : parts);
}

/** Stored members with those of a later event, which win over equal names. */
export function amendedExtra(
  stored: string | LongText | null,
  members: readonly ExtraMember[],
): string | LongText | null {
  if (members.length === 0) return stored;
  if (stored === null) return extraText(members);
  const names = new Set(members.map(({ name }) => JSON.parse(name) as string));
  const kept: ExtraMember[] = [];
  for (const [name, value] of membersOf(stored)) {
    if (!names.has(name)) kept.push({ name: JSON.stringify(name), value: LongText.stringOr(value) });
  }
  return extraText([...kept, ...members]);
}
