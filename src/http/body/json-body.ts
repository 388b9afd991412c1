import { isUtf8 } from 'node:buffer';
import { invalidBody } from './body.errors.js';
import { findJsonFault, placeAt } from './json-fault.js';

/** Names that could reach a prototype, plain or escaped. They are rare, so the slow path is, too. */
const MAYBE_PROTO = /__proto__|\\u005f/i;

/**
 * The value of a JSON body; undefined when it is empty.
 * @throws DomainError `invalid` for bytes that are not UTF-8 and for text that is not JSON, with the place.
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
 * @throws DomainError `invalid` when it is not UTF-8.
 */
export function decodeUtf8(body: Buffer): string {
  assertUtf8(body);
  return body.toString('utf8', textStart(body));
}

/** @throws DomainError `invalid` for bytes that are not UTF-8 */
export function assertUtf8(body: Buffer): void {
  if (!isUtf8(body)) throw invalidBody('invalid_utf8', 'The body is not valid UTF-8.');
}

/** Where the text begins: after the byte order mark, if there is one. */
export function textStart(body: Buffer): number {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0;
}

/** Finds where a text stops being JSON. @param fault the place, if already known */
export function brokenJson(body: Buffer, fault = findJsonFault(body, textStart(body))): Error {
  const { line, column } = placeAt(body, textStart(body), fault.position);
  return invalidBody(
    'invalid_json',
    `The body is not valid JSON: ${fault.expected} at line ${line}, column ${column}.`,
  );
}

function withoutProto(key: string, value: unknown): unknown {
  return key === '__proto__' ? undefined : value;
}
