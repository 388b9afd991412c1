import { canonicalJson, NotCanonicalError } from './canonical-json.js';

/** Whether two valid JSON texts are the same value; texts of no canonical form only where they are the same. */
export function isSameJson(one: string, other: string): boolean {
  if (one === other) return true;
  try {
    return canonicalJson(Buffer.from(one), '') === canonicalJson(Buffer.from(other), '');
  } catch (error) {
    if (error instanceof NotCanonicalError) return false;
    throw error;
  }
}
