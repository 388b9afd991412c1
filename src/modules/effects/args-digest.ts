import { canonicalJson } from '../../common/canonical-json.js';
import { digestOf } from '../../common/digest.js';

/**
 * Distinguishes arguments by their value.
 * @param args valid JSON; null for none, which differs from an empty object
 * @param path of the arguments, for the error
 * @throws NotCanonicalError
 */
export function argsDigestOf(args: Buffer | null, path: string): string {
  return digestOf(args === null ? 'none' : `args:${canonicalJson(args, path)}`);
}
