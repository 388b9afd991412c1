import { JsonCheck, type JsonFault } from '../../common/json-check.js';

const NEW_LINE = 0x0a;

/** A place in a text, from 1; the column in UTF-16 units, as editors count. */
export interface TextPlace {
  line: number;
  column: number;
}

/**
 * Finds the first fault of a text that is not JSON: the engine's own messages name no place in many cases and repeat parts of the text.
 * @param from where the text begins in the bytes
 */
export function findJsonFault(bytes: Buffer, from = 0): JsonFault {
  const check = new JsonCheck(bytes, from);
  check.advance(Infinity);
  return check.fault ?? { position: bytes.length, expected: 'another value was expected' };
}

/** @param from where the text begins in the bytes @param position index into the bytes */
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
