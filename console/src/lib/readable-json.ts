import { stringifyExact } from '../../../src/common/exact-number.js';

/**
 * Multi-line JSON for people, with exact numbers. Line breaks within strings are drawn as `↵` and a break.
 *
 * @throws RangeError for a value nested thousands of levels deep
 */
export function readableJson(value: unknown): string {
  // Matches an escape as two characters, so a backslash before an n is not mistaken for a line break.
  return stringifyExact(value, 2).replaceAll(/\\(?:r\\n|.)/g, (escape) =>
    escape === '\\n' || escape === '\\r\\n' ? '↵\n' : escape,
  );
}
