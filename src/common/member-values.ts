import { JsonScanner } from './json-scanner.js';
import type { LongText } from './long-text.js';

/** Up to this many characters, parsing the whole text is fastest. */
const LONG_TEXT = 64 * 1024;

const OPEN = Buffer.from('{');
const CLOSE = Buffer.from('}');

/**
 * The names of an object's members with the bytes of their values.
 * @param text members as JSON, without the braces
 */
export function membersOf(text: string | LongText): [name: string, value: Buffer][] {
  const bytes = Buffer.concat([OPEN, ...partsOf(text), CLOSE]);
  const members: [string, Buffer][] = [];
  const scanner = new JsonScanner(bytes);
  scanner.members((name) => members.push([name, bytes.subarray(...scanner.value())]));
  return members;
}

/**
 * The values of some members, and perhaps of others. Long texts are not parsed completely.
 * @param text members whose names are written as `JSON.stringify` does, without the braces
 */
export function valuesOf(text: string | LongText | null, names: readonly string[]): Record<string, unknown> {
  if (text === null) return {};
  if (typeof text === 'string' && text.length <= LONG_TEXT) return JSON.parse(`{${text}}`) as Record<string, unknown>;
  if (!mayHold(text, names)) return {};
  const wanted = membersOf(text).filter(([name]) => names.includes(name));
  return Object.fromEntries(wanted.map(([name, value]) => [name, JSON.parse(value.toString())]));
}

/**
 * A fast test without false negatives.
 * @param text members whose names are written as `JSON.stringify` does, without the braces
 */
export function mayHold(text: string | LongText, names: readonly string[]): boolean {
  const quoted = names.map((name) => JSON.stringify(name));
  const found = (part: string | Buffer) => quoted.some((name) => part.includes(name));
  return typeof text === 'string' ? found(text) : text.parts.some(found);
}

function partsOf(text: string | LongText): readonly Buffer[] {
  return typeof text === 'string' ? [Buffer.from(text)] : text.parts;
}
