import { canonicalOf, type ExactNode } from './exact-tree.js';
import { decimalOf, MAX_DIGITS, type Decimal } from './decimal.js';
import type { RuleFaults } from './rule-faults.js';
import { pointerTokens } from './rule.js';

/** UTF-16 units of a text in a condition, and of a folder. */
const MAX_TEXT = 4_000;
const MAX_PATH = 512;

/** A JSON pointer (RFC 6901). */
export interface Pointer {
  path: string;
  tokens: readonly string[];
}

/** Null, with a fault, if it is not a pointer. @param example of a pointer */
export function pointerIn(
  node: ExactNode | undefined,
  at: string,
  example: string,
  faults: RuleFaults,
): Pointer | null {
  const path = node?.kind === 'string' ? node.value : null;
  const tokens = path === null || path.length > MAX_PATH || !isStorable(path) ? null : pointerTokens(path);
  if (path === null || tokens === null) return faults.fault(at, `must be a JSON pointer, such as ${example}`);
  return { path, tokens };
}

export function numberIn(node: ExactNode, at: string, faults: RuleFaults): Decimal | null {
  const number = node.kind === 'number' ? decimalOf(canonicalOf(node)) : null;
  return number ?? faults.fault(at, `must be a number of at most ${MAX_DIGITS} digits`);
}

export function textIn(node: ExactNode, at: string, faults: RuleFaults): string | null {
  const text = node.kind === 'string' ? node.value : '';
  const isFine = text !== '' && text.length <= MAX_TEXT && isStorable(text);
  return isFine ? text : faults.fault(at, `must be a text of 1 to ${MAX_TEXT} characters`);
}

/** An absolute path with only one spelling. */
export function folderIn(node: ExactNode, at: string, faults: RuleFaults): string | null {
  const folder = node.kind === 'string' ? node.value : '';
  const segments = folder.slice(1).split('/');
  const isFine =
    folder.startsWith('/') &&
    folder.length <= MAX_TEXT &&
    isStorable(folder) &&
    !/[\\\p{C}\p{Zl}\p{Zp}]/u.test(folder) &&
    segments.every((segment) => !['', '.', '..'].includes(segment));
  return isFine
    ? folder
    : faults.fault(
        at,
        'must be an absolute path of a folder below /, such as /home/ada/project, without . and .. and no / at its end',
      );
}

/** PostgreSQL stores neither U+0000 nor halves of surrogate pairs. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}
