import { stringifyExact } from '../../../src/common/exact-number.js';

/**
 * JSON on several lines for people: line breaks within texts are drawn as `↵` and a break, so that a letter reads as a letter. Every number
 * stands in its digits.
 *
 * @throws RangeError for a value that is nested thousands of levels deep
 */
export function readableJson(value: unknown): string {
  // An escape is two characters, so that a backslash before an n is told from a line break.
  return stringifyExact(value, 2).replaceAll(/\\(?:r\\n|.)/g, (escape) =>
    escape === '\\n' || escape === '\\r\\n' ? '↵\n' : escape,
  );
}
