import * as exact from '../../../src/common/exact-number.js';

export { ExactNumber, stringifyExact } from '../../../src/common/exact-number.js';

/**
 * Parses the server's JSON, keeping every number's digits as an agent or a person wrote them: a number that JavaScript would change becomes
 * an `ExactNumber`. The server's own counts are always ordinary numbers.
 *
 * @throws SyntaxError for text that is not JSON
 */
export function parseExact(text: string): unknown {
  return exact.parseExact(text, { keepsSpelling: true });
}
