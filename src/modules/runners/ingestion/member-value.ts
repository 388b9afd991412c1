import { MAX_PARSED_LENGTH } from '../../../common/json-limits.js';
import { JsonScanner } from '../../../common/json-scanner.js';
import { recurringText } from '../../../common/recurring-texts.js';
import type { Span } from './batch-outline.js';

const QUOTE = 0x22;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
/** Longer than any text that a rule accepts. */
const LONG_TEXT = ' '.repeat(10_000);

/** The value or, if its text is too long to parse, a substitute that the same rules accept and reject. */
export function memberValue(bytes: Buffer, [from, to]: Span): unknown {
  const recurring = bytes[from] === QUOTE ? recurringText(bytes, from + 1) : null;
  if (recurring !== null) return recurring;
  if (to - from <= MAX_PARSED_LENGTH) return JSON.parse(bytes.toString('utf8', from, to));
  switch (bytes[from]) {
    case QUOTE:
      return LONG_TEXT;
    case OPEN_BRACE:
      return {};
    case OPEN_BRACKET:
      return new JsonScanner(bytes, { from: from + 1 }).peek() === CLOSE_BRACKET ? [] : [null];
    default:
      return Infinity;
  }
}
