import { JsonScanner } from '../../../common/json-scanner.js';

/** Longer texts are neither ids nor names nor types. */
const MAX_NAME_BYTES = 8 * 1024;

const QUOTE = 0x22;

/** The members of a JSON object as exact bytes, not copied; none for any other value. Of several with one name the last counts. */
export function membersOf(value: Buffer | undefined): ReadonlyMap<string, Buffer> {
  const members = new Map<string, Buffer>();
  const scanner = value && new JsonScanner(value);
  if (!scanner?.isObject()) return members;
  scanner.members((name) => members.set(name, value!.subarray(...scanner.value())));
  return members;
}

/** The elements of a JSON array as exact bytes, not copied; null for any other value. */
export function elementsOf(value: Buffer | undefined): Buffer[] | null {
  const scanner = value && new JsonScanner(value);
  if (!scanner?.isArray()) return null;
  const elements: Buffer[] = [];
  scanner.elements(() => elements.push(value!.subarray(...scanner.value())));
  return elements;
}

/** A JSON string that can be an id, a name or a type; null for any other value. */
export function nameOf(value: Buffer | undefined): string | null {
  if (value === undefined || value[0] !== QUOTE || value.length > MAX_NAME_BYTES) return null;
  return JSON.parse(value.toString()) as string;
}

/** The object with another value in place of a member's. `member` is that value as `membersOf` gave it. */
export function withValue(object: Buffer, member: Buffer, value: Buffer): Buffer {
  const from = member.byteOffset - object.byteOffset;
  return Buffer.concat([object.subarray(0, from), value, object.subarray(from + member.length)]);
}

/** A JSON array of these elements. */
export function arrayOf(elements: readonly Buffer[]): Buffer {
  const parts: Buffer[] = [OPEN];
  for (const [i, element] of elements.entries()) parts.push(...(i > 0 ? [COMMA, element] : [element]));
  return Buffer.concat([...parts, CLOSE]);
}

const OPEN = Buffer.from('[');
const COMMA = Buffer.from(',');
const CLOSE = Buffer.from(']');
