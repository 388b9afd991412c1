import { JsonScanner } from './json-scanner.js';

/** Longer texts cannot be ids, names or types. */
const MAX_NAME_BYTES = 8 * 1024;

const QUOTE = 0x22;

/** The members of a JSON object as exact bytes, not copied; empty for any other value. Of duplicates the last counts. */
export function membersOf(value: Buffer | undefined): ReadonlyMap<string, Buffer> {
  const members = new Map<string, Buffer>();
  const scanner = value && new JsonScanner(value);
  if (!scanner?.isObject()) return members;
  scanner.members((name) => members.set(name, value!.subarray(...scanner.value())));
  return members;
}

/** The named members, in the order of the names; for many objects of which little is needed, such as calls. */
export function pick(value: Buffer | undefined, names: readonly string[]): (Buffer | undefined)[] {
  const found = new Array<Buffer | undefined>(names.length).fill(undefined);
  const scanner = value && new JsonScanner(value);
  if (!scanner?.isObject()) return found;
  scanner.members((name) => {
    const [from, to] = scanner.value();
    const at = names.indexOf(name);
    if (at !== -1) found[at] = value!.subarray(from, to);
  });
  return found;
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
  const text = value.toString('latin1', 1, value.length - 1);
  return PLAIN.test(text) ? text : (JSON.parse(value.toString()) as string);
}

/** Printable ASCII without escapes, as nearly all names are. */
const PLAIN = /^[\x20-\x5b\x5d-\x7e]*$/;

/** The value of the first of these members that is present and not null. */
export function presentOf(members: ReadonlyMap<string, Buffer>, ...names: readonly string[]): Buffer | undefined {
  return names.map((name) => members.get(name)).find((value) => value !== undefined && !isNull(value));
}

export function isNull(value: Buffer | undefined): boolean {
  return value?.length === 4 && value.equals(NULL);
}

/** Whether the value is a JSON string. */
export function isText(value: Buffer | undefined): boolean {
  return value?.[0] === QUOTE;
}

/** Whether the value is a JSON string of only white space. */
export function isBlank(value: Buffer | undefined): boolean {
  return isText(value) && BLANK.test(value!.toString('utf8', 1, Math.min(value!.length - 1, MAX_BLANK_BYTES)));
}

/** The object with a member's value replaced. `member` is the old value from `membersOf`, at any depth. */
export function withValue(object: Buffer, member: Buffer, value: Buffer): Buffer {
  return withValues(object, [[member, value]]);
}

/** The object with several values replaced, which must not overlap. */
export function withValues(object: Buffer, values: readonly (readonly [member: Buffer, value: Buffer])[]): Buffer {
  const parts: Buffer[] = [];
  let from = 0;
  for (const [member, value] of values.toSorted(([a], [b]) => a.byteOffset - b.byteOffset)) {
    const begin = member.byteOffset - object.byteOffset;
    parts.push(object.subarray(from, begin), value);
    from = begin + member.length;
  }
  return Buffer.concat([...parts, object.subarray(from)]);
}

/** The object with members replaced in place; null removes a member, and new members go last. */
export function withMembers(object: Buffer, changes: Readonly<Record<string, Buffer | null>>): Buffer {
  const kept: Buffer[] = [];
  const left = new Set(Object.keys(changes));
  const scanner = new JsonScanner(object);
  scanner.peek();
  let from = scanner.at + 1;
  scanner.members((name) => {
    const [begin, end] = scanner.value();
    const change = Object.hasOwn(changes, name) ? changes[name] : undefined;
    if (change === undefined) kept.push(object.subarray(from, end));
    else if (change !== null) kept.push(Buffer.concat([object.subarray(from, begin), change]));
    left.delete(name);
    scanner.peek();
    from = scanner.at + 1;
  });
  for (const name of left) {
    const value = changes[name];
    if (value) kept.push(Buffer.concat([Buffer.from(`${JSON.stringify(name)}:`), value]));
  }
  const list = arrayOf(kept);
  return Buffer.concat([OPEN_BRACE, list.subarray(1, -1), CLOSE_BRACE]);
}

/** A JSON array of these elements. */
export function arrayOf(elements: readonly Buffer[]): Buffer {
  const parts: Buffer[] = [OPEN];
  for (const [i, element] of elements.entries()) parts.push(...(i > 0 ? [COMMA, element] : [element]));
  return Buffer.concat([...parts, CLOSE]);
}

/** White space as written in a JSON string. */
const BLANK = /^(?:\\[ntrf]|\\u(?:000[9a-dA-D]|0020|00[aA]0|3000)|\s)*$/;
/** Longer white space counts as text. */
const MAX_BLANK_BYTES = 8 * 1024;

const NULL = Buffer.from('null');
const OPEN_BRACE = Buffer.from('{');
const CLOSE_BRACE = Buffer.from('}');
const OPEN = Buffer.from('[');
const COMMA = Buffer.from(',');
const CLOSE = Buffer.from(']');
