import { canonicalJson, NotCanonicalError } from './canonical-json.js';

/** Whether two valid JSON texts have the same value; texts without a canonical form must be identical. */
export function isSameJson(one: string, other: string): boolean {
  if (one === other) return true;
  try {
    return canonicalJson(Buffer.from(one), '') === canonicalJson(Buffer.from(other), '');
  } catch (error) {
    if (error instanceof NotCanonicalError) return false;
    throw error;
  }
}
