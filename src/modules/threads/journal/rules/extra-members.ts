import { mayHold, membersOf } from '../../../../common/member-values.js';
import { LongText } from '../../../../common/long-text.js';
import type { ExtraMember } from '../../threads.contract.js';

/** Most pieces that the database concatenates; it copies the earlier ones again for each. */
const MAX_PIECES = 4;

/** Members as they are stored and returned: JSON text without the braces; null for none. */
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

function joined(before: string | LongText, behind: string | LongText): string | LongText {
  const isText = typeof before === 'string' && typeof behind === 'string';
  return isText ? `${before},${behind}` : inPieces([before, ',', behind]);
}

export function amendedExtra(
  stored: string | LongText | null,
  members: readonly ExtraMember[],
): string | LongText | null {
  if (members.length === 0) return stored;
  if (stored === null) return extraText(members);
  const names = members.map(({ name }) => JSON.parse(name) as string);
  if (!mayHold(stored, names)) return joined(stored, extraText(members)!);
  return extraText([...membersBut(stored, names), ...members]);
}

export function extraWithout(stored: string | LongText | null, names: readonly string[]): string | LongText | null {
  return stored === null || !mayHold(stored, names) ? stored : extraText(membersBut(stored, names));
}

function membersBut(stored: string | LongText, names: readonly string[]): ExtraMember[] {
  const kept: ExtraMember[] = [];
  for (const [name, value] of membersOf(stored)) {
    if (!names.includes(name)) kept.push({ name: JSON.stringify(name), value: LongText.stringOr(value) });
  }
  return kept;
}
