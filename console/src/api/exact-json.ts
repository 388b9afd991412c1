import * as exact from '../../../src/common/exact-number.js';

export { ExactNumber, stringifyExact } from '../../../src/common/exact-number.js';

/**
 * Reads JSON of the server, each number in the digits with which an agent or a person wrote it: one that JavaScript would change is an
 * `ExactNumber`. What the server itself counts is always an ordinary number.
 *
 * @throws SyntaxError for text that is not JSON
 */
export function parseExact(text: string): unknown {
  return exact.parseExact(text, { keepsSpelling: true });
}
