import { canonicalJson } from '../../common/canonical-json.js';
import { digestOf } from '../../common/digest.js';

/**
 * Tells arguments apart by their value.
 * @param args valid JSON; null for none, which is not the same as an empty object
 * @param path of the arguments, for the error
 * @throws NotCanonicalError
 */
export function argsDigestOf(args: Buffer | null, path: string): string {
  return digestOf(args === null ? 'none' : `args:${canonicalJson(args, path)}`);
}
