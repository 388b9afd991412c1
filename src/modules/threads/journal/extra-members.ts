import { LongText } from '../../../common/long-text.js';
import type { ExtraMember, TextMember } from './reported-event.js';

/** Members as they are stored and given back: JSON text without the braces; null for none. */
export function extraText(members: readonly ExtraMember[]): string | LongText | null {
  if (members.length === 0) return null;
  if (members.some(({ value }) => typeof value !== 'string')) return longText(members);
  return members.map(({ name, value }) => `${name}:${String(value)}`).join(',');
}

function longText(members: readonly ExtraMember[]): LongText {
  const parts = members.flatMap(({ name, value }, at) => {
    const begin = `${at > 0 ? ',' : ''}${name}:`;
    return typeof value === 'string' ? [Buffer.from(begin + value)] : [Buffer.from(begin), ...value.parts];
  });
  return LongText.inParts(parts);
}

/** Stored members with those of a later event, which win over equal names. */
export function amendedExtra(stored: string | null, members: readonly TextMember[]): string | null;
export function amendedExtra(
  stored: string | LongText | null,
  members: readonly ExtraMember[],
): string | LongText | null;
export function amendedExtra(
  stored: string | LongText | null,
  members: readonly ExtraMember[],
): string | LongText | null {
  if (members.length === 0) return stored;
  if (stored === null) return extraText(members);
  const names = new Set(members.map(({ name }) => JSON.parse(name) as string));
  const kept = splitMembers(String(stored)).filter(({ name }) => !names.has(JSON.parse(name) as string));
  return extraText([...kept, ...members]);
}

/** The members of a text that `extraText` made. */
function splitMembers(text: string): TextMember[] {
  const members: TextMember[] = [];
  let at = 0;
  while (at < text.length) {
    const colon = text.indexOf(':', endOfString(text, at));
    const end = endOfValue(text, colon + 1);
    members.push({ name: text.slice(at, colon), value: text.slice(colon + 1, end) });
    at = end + 1;
  }
  return members;
}

function endOfValue(text: string, from: number): number {
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const char = text[at]!;
    if (char === '"') {
      at = endOfString(text, at);
      continue;
    }
    if (char === '{' || char === '[') depth += 1;
    if (char === '}' || char === ']') depth -= 1;
    if (char === ',' && depth === 0) return at;
    at += 1;
  }
  return at;
}

function endOfString(text: string, from: number): number {
  let at = from + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}
