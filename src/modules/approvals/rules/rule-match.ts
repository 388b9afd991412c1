import path from 'node:path';
import { cutText } from '../../../common/cut-text.js';
import { compareDecimals, decimalOf, ZERO, type Decimal } from './decimal.js';
import { canonicalOf, hasMember, nodeAtPointer, type ExactNode } from './exact-tree.js';
import type { JudgedCall } from './judged-call.js';
import { asAddress, hostIn, mayHoldProgram, pointerToken, type Condition, type Rule, type Test } from './rule.js';

/** Whether a rule applies to a call, limits aside. */
export type Match =
  | {
      readonly isMatch: true;
      /** What the call adds to the rule's sum; zero for a rule without one. */
      readonly amount: Decimal;
    }
  | {
      readonly isMatch: false;
      /** A `deny` or `ask` that may apply: no rule may allow the call. */
      readonly isUnclear?: true;
      /** Shown to people. */
      readonly why: string;
    };

/**
 * Whether the rule applies to the call. An `allow` accepts nothing that it cannot judge and no member that it does not cover; `deny` and
 * `ask` also match calls that merely look like theirs.
 */
export function matchOf(rule: Rule, call: JudgedCall): Match {
  if (!speaksOf(rule, call)) return no('It is a call of another agent or tool.');
  return rule.effect === 'allow' ? strictMatch(rule, call) : looseMatch(rule, call);
}

/** Whether the call's agent and tool are among the rule's. */
export function speaksOf(rule: Rule, call: JudgedCall): boolean {
  if (!rule.agents.some((name) => isNamed(rule, name, call.agentId))) return false;
  if (rule.effect === 'allow') return call.call.name !== null && rule.tools.includes(call.call.name);
  return call.names.some((name) => rule.tools.some((tool) => isNamed(rule, tool, name)));
}

function strictMatch(rule: Rule, call: JudgedCall): Match {
  if (call.isCut) return no('The calls are too large to show.');
  if (!call.isPlain) return no('The call can be read in several ways, asks questions, or names whose tool it is.');
  const { args } = call;
  if (args === null) return no('The arguments are no object, or have a name twice.');
  if (rule.folder !== null && !isFolderWithin(call.cwd, rule.folder))
    return no(`The agent does not work in ${rule.folder}.`);
  const failed = rule.where.find((condition) => !holds(condition, args, isTrue));
  if (failed) return no(`The value at ${place(failed.path)} is not what the rule says.`);
  const uncovered = new Coverage(rule).uncovered(args, '');
  if (uncovered !== null) return no(`The rule does not speak of ${place(uncovered)}.`);
  const sum = rule.limits?.sum;
  if (!sum) return { isMatch: true, amount: ZERO };
  const amount = numberAt(args, sum.tokens);
  if (amount === null || compareDecimals(amount, ZERO) < 0)
    return no(`The value at ${place(sum.path)} cannot be added.`);
  return { isMatch: true, amount };
}

function looseMatch(rule: Rule, call: JudgedCall): Match {
  if (rule.folder !== null && call.cwd === null) return unclear('It is not known in which folder the agent works.');
  if (rule.folder !== null && !isUnder(call.cwd!, rule.folder)) return no(`The agent does not work in ${rule.folder}.`);
  const { args } = call;
  if (rule.where.length > 0 && args === null) return unclear('The arguments cannot be judged.');
  const failed = rule.where.find((condition) => !holds(condition, args!, isLikely));
  if (failed) return no(`The value at ${place(failed.path)} is not what the rule says.`);
  return { isMatch: true, amount: ZERO };
}

/** @param pattern of the rule */
function isNamed({ effect }: Rule, pattern: string, name: string): boolean {
  if (effect === 'allow' || !pattern.endsWith('*')) return pattern === name;
  return name.startsWith(pattern.slice(0, -1));
}

function holds(
  { tokens, test }: Condition,
  args: ExactNode,
  passes: (test: Test, node: ExactNode) => boolean,
): boolean {
  const node = nodeAtPointer(args, tokens);
  return node !== undefined && passes(test, node);
}

function isTrue(test: Test, node: ExactNode): boolean {
  const text = node.kind === 'string' ? node.value : null;
  switch (test.kind) {
    case 'one_of':
      return test.values.has(canonicalOf(node));
    case 'range':
      return isInRange(test, node);
    case 'any':
      return !hasMember(node, mayHoldProgram);
    case 'prefix':
      return text !== null && hasPrefix(text, test.prefix);
    case 'within':
      return text !== null && isPathWithin(text, test.folder);
    case 'words':
      return text !== null && hasWords(text, test.words);
  }
}

/** The same for `deny` and `ask`, which rather match once too often. */
function isLikely(test: Test, node: ExactNode): boolean {
  const text = node.kind === 'string' ? node.value : null;
  switch (test.kind) {
    case 'any':
      return true;
    case 'range':
      return node.kind === 'number' && (decimalOf(canonicalOf(node)) === null || isInRange(test, node));
    case 'prefix':
      return text?.startsWith(test.prefix) === true;
    case 'within':
      return text !== null && isUnder(text, test.folder);
    case 'words':
      return text !== null && hasWordsLike(text, test.words);
    default:
      return isTrue(test, node);
  }
}

function isInRange({ min, max }: Extract<Test, { kind: 'range' }>, node: ExactNode): boolean {
  const number = node.kind === 'number' ? decimalOf(canonicalOf(node)) : null;
  if (number === null) return false;
  return (min === null || compareDecimals(number, min) >= 0) && (max === null || compareDecimals(number, max) <= 0);
}

function numberAt(args: ExactNode, tokens: readonly string[]): Decimal | null {
  const node = nodeAtPointer(args, tokens);
  return node?.kind === 'number' ? decimalOf(canonicalOf(node)) : null;
}

/** Nothing that a shell or a URL parser reads differently. */
const PLAIN_REST = /^[A-Za-z0-9_\-./:@+=,]*$/;
function hasPrefix(text: string, prefix: string): boolean {
  if (!text.startsWith(prefix)) return false;
  const rest = text.slice(prefix.length);
  // The prefix may end with the first of two dots.
  if (!PLAIN_REST.test(rest) || text.slice(prefix.length - 1).includes('..')) return false;
  // After a space it would be an option.
  if (rest.startsWith('-') && /\s$/.test(prefix)) return false;
  const host = hostIn(asAddress(text));
  return host === null || asAddress(prefix).length > host.length;
}

/** Whether a path lies in the folder, however a program reads it; links aside. */
export function isPathWithin(text: string, folder: string): boolean {
  if (!text.startsWith(`${folder}/`) || /[\\~\p{C}\p{Zl}\p{Zp}]/u.test(text)) return false;
  return text
    .slice(folder.length + 1)
    .split('/')
    .every((segment) => segment !== '' && !segment.startsWith('.'));
}

function isFolderWithin(cwd: string | null, folder: string): boolean {
  return cwd !== null && (cwd === folder || isPathWithin(cwd, folder));
}

/** Whether the path leads into the folder, however it is written. */
function isUnder(text: string, folder: string): boolean {
  return `${path.posix.normalize(text.replaceAll('\\', '/'))}/`.startsWith(`${folder}/`);
}

/** A relative name: no option, no hidden file, no variable, no quote; `+main` would be an order to `git push`. */
const NAME = /^(?![.+-])[A-Za-z0-9_.+,-]+(?:\/(?![.-])[A-Za-z0-9_.+,-]+)*$/;

function hasWords(text: string, words: readonly string[]): boolean {
  const given = text.split(' ');
  return (
    given.length === words.length && words.every((word, i) => (word === '*' ? NAME.test(given[i]!) : word === given[i]))
  );
}

function hasWordsLike(text: string, words: readonly string[]): boolean {
  const given = text.trim().split(/\s+/);
  return given.length === words.length && words.every((word, i) => word === '*' || word === given[i]);
}

/** Which parts of the arguments a rule covers. */
class Coverage {
  private readonly paths: ReadonlySet<string>;
  /** Their ancestors, whose children are checked. */
  private readonly above = new Set<string>();

  constructor(private readonly rule: Rule) {
    const pointers = rule.where.map(({ tokens }) => tokens.map((token) => `/${pointerToken(token)}`));
    this.paths = new Set(pointers.map((parts) => parts.join('')));
    for (const parts of pointers)
      for (let end = 0; end < parts.length; end++) this.above.add(parts.slice(0, end).join(''));
  }

  /**
   * The pointer of the first member that is neither covered by a condition nor accepted by `other`; null for none.
   * @param isProgram within a member that may hold a program, where the rule accepts only what it covers
   */
  uncovered(node: ExactNode, at: string, isProgram = false): string | null {
    if (this.paths.has(at)) return null;
    if (at !== '' && !this.above.has(at)) {
      const isTaken = this.rule.takesOthers && !isProgram && !hasMember(node, mayHoldProgram);
      return isTaken ? null : at;
    }
    for (const [name, child] of childrenOf(node)) {
      const isProgramBelow = isProgram || (node.kind === 'object' && mayHoldProgram(name));
      const found = this.uncovered(child, `${at}/${pointerToken(name)}`, isProgramBelow);
      if (found !== null) return found;
    }
    return null;
  }
}

function childrenOf(node: ExactNode): Iterable<readonly [string, ExactNode]> {
  if (node.kind === 'object') return node.members;
  if (node.kind === 'array') return node.elements.map((element, i) => [String(i), element] as const);
  return [];
}

/** Argument names may be a megabyte long, and a rehearsal keeps messages about 10,000 calls. */
const MAX_SHOWN_POINTER = 512;

function place(pointer: string): string {
  return pointer === '' ? 'the arguments' : cutText(pointer, MAX_SHOWN_POINTER);
}

function no(why: string): Match {
  return { isMatch: false, why };
}

function unclear(why: string): Match {
  return { isMatch: false, isUnclear: true, why };
}
