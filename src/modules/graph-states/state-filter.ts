import { hash } from 'node:crypto';
import { canonicalJson, NotCanonicalError } from '../../common/canonical-json.js';
import { cutText } from '../../common/cut-text.js';
import { invalidField } from '../../common/domain-error.js';
import { JsonCheck } from '../../common/json-check.js';
import { JsonScanner } from '../../common/json-scanner.js';

/** Hexadecimal digits of a member's digest: 128 bits, which rules out collisions. */
const DIGITS = 32;
/** Members of metadata. */
const MAX_MEMBERS = 1_000;
/** Members that a filter may compare: each is a condition, and SQLite allows a depth of 1,000. */
const MAX_COMPARED = 32;
/** Characters of a fault's path in a response. */
const MAX_PATH = 200;

/**
 * A digest for each member's name and value. Two objects share a digest if they share a member with the same JSON value, so filters need
 * only digests in a statement.
 * @param bytes a JSON object
 * @param path of the object, for the error
 * @param limit of members
 * @throws DomainError `invalid` with the member that is repeated or nested too deeply
 */
export function memberDigests(bytes: Buffer, path: string, limit = MAX_MEMBERS): string[] {
  const digests = new Map<string, string>();
  const scanner = new JsonScanner(bytes);
  try {
    scanner.members((name) => {
      const at = `${path}.${name}`;
      if (digests.size === limit) throw new NotCanonicalError(path, `must have at most ${limit} members`);
      if (digests.has(name)) throw new NotCanonicalError(at, 'is given twice');
      const value = canonicalJson(bytes.subarray(...scanner.value()), at);
      digests.set(name, hash('sha256', `${JSON.stringify(name)}:${value}`, 'hex').slice(0, DIGITS));
    });
  } catch (error) {
    throw error instanceof NotCanonicalError ? invalidField(cutText(error.path, MAX_PATH), error.detail) : error;
  }
  return [...digests.values()];
}

/**
 * A filter's members as digests of `memberDigests`.
 * @throws DomainError `invalid`
 */
export function readFilter(filter: string): string[] {
  const bytes = Buffer.from(filter);
  const check = new JsonCheck(bytes);
  check.advance(Infinity);
  if (check.fault || !new JsonScanner(bytes).isObject()) throw invalidField('filter', 'must be a JSON object');
  return memberDigests(bytes, 'filter', MAX_COMPARED);
}
