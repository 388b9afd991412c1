import { JsonScanner } from './json-scanner.js';
import type { LongText } from './long-text.js';

/** Characters up to which parsing all is the quickest. */
const LONG_TEXT = 64 * 1024;

const OPEN = Buffer.from('{');
const CLOSE = Buffer.from('}');

/**
 * The values of some members, and perhaps of others: those of long texts, which may be anything, are not all parsed.
 * @param text members as JSON, without the braces
 */
export function valuesOf(text: string | LongText | null, names: readonly string[]): Record<string, unknown> {
  if (text === null) return {};
  if (typeof text === 'string' && text.length <= LONG_TEXT) return JSON.parse(`{${text}}`) as Record<string, unknown>;
  const parts = typeof text === 'string' ? [Buffer.from(text)] : text.parts;
  const mayName = (part: Buffer) => names.some((name) => part.includes(`"${name}"`)) || part.includes('\\u');
  return parts.some(mayName) ? picked(Buffer.concat([OPEN, ...parts, CLOSE]), names) : {};
}

function picked(bytes: Buffer, names: readonly string[]): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  const scanner = new JsonScanner(bytes);
  scanner.members((name) => {
    const [from, to] = scanner.value();
    if (names.includes(name)) values[name] = JSON.parse(bytes.toString('utf8', from, to));
  });
  return values;
}
