import type { Decimal } from './decimal.js';

export const RULE_EFFECTS = ['allow', 'deny', 'ask'] as const;

export type RuleEffect = (typeof RULE_EFFECTS)[number];

/** A condition on the value at a JSON pointer. */
export type Test =
  /** One of these values, as canonical JSON. */
  | { readonly kind: 'one_of'; readonly values: ReadonlySet<string> }
  /** Null for no bound. */
  | { readonly kind: 'range'; readonly min: Decimal | null; readonly max: Decimal | null }
  | { readonly kind: 'prefix'; readonly prefix: string }
  | { readonly kind: 'within'; readonly folder: string }
  /** Each a word, or `*`. */
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'any' };

export interface Condition {
  /** The JSON pointer as it was written. */
  readonly path: string;
  readonly tokens: readonly string[];
  readonly test: Test;
}

export interface SumLimit {
  readonly path: string;
  readonly tokens: readonly string[];
  readonly perDay: Decimal;
}

export interface RuleLimits {
  /** Calls in any 24 hours. */
  readonly perDay: number;
  /** Null for none. */
  readonly sum: SumLimit | null;
}

/** A standing decision on all calls of a kind. Immutable. */
export interface Rule {
  readonly effect: RuleEffect;
  /** Exact names; in `deny` and `ask` a trailing `*` stands for any rest. */
  readonly agents: readonly string[];
  readonly tools: readonly string[];
  readonly where: readonly Condition[];
  /** Whether members that no condition covers are accepted. */
  readonly takesOthers: boolean;
  /** Where the agent must work; null for anywhere. */
  readonly folder: string | null;
  /** Of an `allow`; null for other rules. */
  readonly limits: RuleLimits | null;
  /** Null for never. */
  readonly expiresAtMs: number | null;
  readonly note: string;
}

/** An active rule. */
export interface StoredRule extends Rule {
  readonly id: string;
  readonly createdAtMs: number;
}

/** Members that may hold a program: no `allow` accepts arbitrary values in them. */
const PROGRAMS: ReadonlySet<string> = new Set(['command', 'cmd', 'script', 'code', 'sql']);

export function mayHoldProgram(name: string): boolean {
  return PROGRAMS.has(name.normalize('NFKC').toLowerCase());
}

const HOST = /^(?:(?:https?|wss?|ftp):[/\\]*|[/\\]{2,}|(?:[a-z][a-z0-9+.-]*:)+\/\/)[^/\\?#]*/i;

/**
 * The text as URL parsers read it: without tabs and line breaks, and without leading control characters and spaces
 * (https://url.spec.whatwg.org/#concept-basic-url-parser).
 */
export function asAddress(text: string): string {
  return text.replaceAll(/[\t\r\n]/g, '').replace(/^[\0-\u0020]+/, '');
}

/**
 * The address up to the end of its host; null if it has none. For `http` and other special schemes, any number of slashes may precede the
 * host, and a backslash counts as one (https://url.spec.whatwg.org/#special-authority-ignore-slashes-state).
 */
export function hostIn(text: string): string | null {
  return HOST.exec(text)?.[0] ?? null;
}

/** The tokens of a JSON pointer (RFC 6901); null if it is not one. */
export function pointerTokens(path: string): string[] | null {
  if (path === '') return [];
  if (!path.startsWith('/') || /~(?![01])/.test(path)) return null;
  return path
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** A name escaped as one token of a JSON pointer. */
export function pointerToken(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
