import { isUtf8 } from 'node:buffer';
import { invalidBody } from './body.errors.js';
import { invalidField } from '../../common/domain-error.js';
import { JsonCheck, type JsonFault } from '../../common/json-check.js';
import { JsonScanner } from '../../common/json-scanner.js';

/** Names that could reach a prototype, plain or escaped. They are rare, and so is the slow path. */
const MAYBE_PROTO = /__proto__|\\u005f/i;

/**
 * The value of a JSON body; undefined if it is empty.
 * @throws DomainError `invalid` for bytes that are not UTF-8, and for invalid JSON with the position
 */
export function parseJsonBody(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  const text = decodeUtf8(body);
  try {
    return MAYBE_PROTO.test(text) ? JSON.parse(text, withoutProto) : JSON.parse(text);
  } catch {
    throw brokenJson(body);
  }
}

/**
 * The text of a body, without a byte order mark.
 * @throws DomainError `invalid` if it is not UTF-8
 */
export function decodeUtf8(body: Buffer): string {
  assertUtf8(body);
  return body.toString('utf8', textStart(body));
}

/** @throws DomainError `invalid` for bytes that are not UTF-8 */
export function assertUtf8(body: Buffer): void {
  if (!isUtf8(body)) throw invalidBody('invalid_utf8', 'The body is not valid UTF-8.');
}

/** The start of the text, after a byte order mark if there is one. */
export function textStart(body: Buffer): number {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0;
}

/** Finds where a text stops being JSON. @param fault the position, if already known */
export function brokenJson(body: Buffer, fault = findJsonFault(body, textStart(body))): Error {
  const { line, column } = placeAt(body, textStart(body), fault.position);
  return invalidBody(
    'invalid_json',
    `The body is not valid JSON: ${fault.expected} at line ${line}, column ${column}.`,
  );
}

/**
 * Visits the members of a JSON object in order, each with its exact text.
 * @throws DomainError `invalid` for bytes that are not UTF-8, for invalid JSON, and for anything but an object
 */
export function visitMembers(body: Buffer, visit: (name: string, value: Buffer) => void): void {
  assertUtf8(body);
  const from = textStart(body);
  const check = new JsonCheck(body, from);
  check.advance(Infinity);
  if (check.fault) throw brokenJson(body, check.fault);
  const scanner = new JsonScanner(body, { from });
  if (!scanner.isObject()) throw invalidField('body', 'must be a JSON object');
  scanner.members((name) => visit(name, body.subarray(...scanner.value())));
}

function withoutProto(key: string, value: unknown): unknown {
  return key === '__proto__' ? undefined : value;
}

const NEW_LINE = 0x0a;

/** Line and column from 1; the column in UTF-16 units, as editors count. */
export interface TextPlace {
  line: number;
  column: number;
}

/**
 * Finds the first fault of invalid JSON: the engine's own messages often lack a position and repeat parts of the text.
 * @param from start of the text in the bytes
 */
export function findJsonFault(bytes: Buffer, from = 0): JsonFault {
  const check = new JsonCheck(bytes, from);
  check.advance(Infinity);
  return check.fault ?? { position: bytes.length, expected: 'another value was expected' };
}

/** @param from start of the text in the bytes @param position index into the bytes */
export function placeAt(bytes: Buffer, from: number, position: number): TextPlace {
  let line = 1;
  let lineStart = from;
  for (let end = bytes.indexOf(NEW_LINE, from); end !== -1 && end < position; end = bytes.indexOf(NEW_LINE, end + 1)) {
    line += 1;
    lineStart = end + 1;
  }
  return { line, column: countUnits(bytes, lineStart, position) + 1 };
}

/** Counts without creating a string: lines may be very long. */
function countUnits(bytes: Buffer, from: number, to: number): number {
  let units = 0;
  for (let at = from; at < to; at++) {
    const byte = bytes[at]!;
    if ((byte & 0xc0) !== 0x80) units += byte >= 0xf0 ? 2 : 1;
  }
  return units;
}
