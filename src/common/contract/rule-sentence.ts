import { stringifyExact } from '../exact-number.js';

/** A condition on the value at a JSON pointer, as in the API: one of these members is set. */
export interface RuleCondition {
  path: string;
  equals?: unknown;
  one_of?: readonly unknown[];
  min?: unknown;
  max?: unknown;
  prefix?: string;
  within?: string;
  words?: string;
  any?: boolean;
}

/** A standing rule or its draft, as in the API. Values may contain exact numbers. */
export interface RuleWords {
  effect: 'allow' | 'deny' | 'ask';
  agents: readonly string[];
  tools: readonly string[];
  where?: readonly RuleCondition[] | null;
  other?: 'none' | 'any' | null;
  folder?: string | null;
  limits?: { per_day: number; sum?: { path: string; per_day: unknown } | null } | null;
  expires_at?: string | null;
}

/** How people decided calls, and how many of these a rule would have decided. */
export type RehearsalTotals = Readonly<Record<'approved' | 'edited' | 'rejected' | 'expired', RehearsalCount>>;

export interface RehearsalCount {
  calls: number;
  ruled: number;
}

const OUTCOMES = ['approved', 'edited', 'rejected', 'expired'] as const;
const VERBS = { allow: 'Allow', deny: 'Reject', ask: 'Always ask a person about' } as const;
/** How long an `allow` without an end date is valid. */
const ENDLESS = {
  allow: ', for 90 days',
  deny: ', until somebody revokes it',
  ask: ', until somebody revokes it',
} as const;
/** Names that cannot be mistaken for other words of the sentence. */
const PLAIN_NAME = /^[\p{L}\p{N}_.:@/-]+$/u;

/**
 * A complete rule as one English sentence: "Allow refund by agent billing when amount is between 0 and 50, at most 20 times in 24 hours,
 * until 24 February 2027."
 *
 * @param timeZone for the end date; default: the reader's
 */
export function ruleSentence(rule: RuleWords, timeZone?: string): string {
  const { effect, agents, tools, folder, expires_at: expiresAt } = rule;
  const parts = [
    `${VERBS[effect]} ${namesOf(tools, 'tool')} by ${namesOf(agents, 'agent')}`,
    conditionsOf(rule),
    folder ? `, while the agent works in the folder ${nameOf(folder)}` : '',
    limitsOf(rule),
    expiresAt ? `, until ${dayOf(expiresAt, timeZone)}` : ENDLESS[effect],
  ];
  return `${parts.join('')}.`;
}

/** A condition in the words of the sentence: "amount is between 0 and 50". */
export function conditionWords(condition: RuleCondition): string {
  const name = pathName(condition.path);
  const { equals, one_of, min, max, prefix, within, words } = condition;
  if ('equals' in condition) return `${name} is ${valueOf(equals)}`;
  if (one_of) return `${name} is ${listOf(one_of.map(valueOf))}`;
  if (min !== undefined && max !== undefined) return `${name} is between ${valueOf(min)} and ${valueOf(max)}`;
  if (min !== undefined) return `${name} is at least ${valueOf(min)}`;
  if (max !== undefined) return `${name} is at most ${valueOf(max)}`;
  if (prefix !== undefined) return `${name} begins with ${valueOf(prefix)}`;
  if (within !== undefined) return `${name} is a path in the folder ${nameOf(within)}`;
  if (words !== undefined) return `${name} is ${valueOf(words)}${hasStar(words) ? ', where * is any one name' : ''}`;
  return `${name} is anything`;
}

/** The result of a rehearsal: "It allows 214 of 230 approved calls, and 3 of 9 rejected." */
export function rehearsalSentence(effect: RuleWords['effect'], totals: RehearsalTotals): string {
  const does = { allow: 'allows', deny: 'rejects', ask: 'asks about' }[effect];
  const said = OUTCOMES.filter((outcome) => totals[outcome].calls > 0).map((outcome, index) => {
    const { calls, ruled } = totals[outcome];
    const noun = index > 0 ? '' : calls === 1 ? ' call' : ' calls';
    return `${ruled} of ${calls} ${outcome}${noun}`;
  });
  return said.length === 0 ? 'Nobody has decided such calls yet.' : `It ${does} ${joined(said, 'and')}.`;
}

/** A JSON pointer for people: `amount`, `customer/address/city`. */
export function pathName(path: string): string {
  if (path === '') return 'the whole of the arguments';
  const name = path.replace(/^\//, '');
  return PLAIN_NAME.test(name) ? name : JSON.stringify(name);
}

function conditionsOf({ effect, where: given, other }: RuleWords): string {
  const where = given ?? [];
  const takesAll = effect !== 'allow' || other === 'any';
  if (where.length === 0) return takesAll ? ' with any arguments' : ' without arguments';
  const rest = effect === 'allow' && takesAll ? ', with any other arguments' : '';
  return ` when ${joined(where.map(conditionWords), 'and')}${rest}`;
}

function limitsOf({ limits }: RuleWords): string {
  if (!limits) return '';
  const times = limits.per_day === 1 ? 'once' : `${limits.per_day} times`;
  const { sum } = limits;
  return `, at most ${times} in 24 hours${sum ? `, with a total ${pathName(sum.path)} of at most ${valueOf(sum.per_day)}` : ''}`;
}

/** Names joined with "or"; a trailing `*` matches any rest. */
function namesOf(names: readonly string[], noun: string): string {
  if (names.includes('*')) return `any ${noun}`;
  const exact = names.filter((name) => !name.endsWith('*')).map(nameOf);
  const begun = names
    .filter((name) => name.endsWith('*'))
    .map((name) => `any ${noun} that begins with ${nameOf(name.slice(0, -1))}`);
  const isAgent = noun === 'agent' && exact.length > 0;
  return `${isAgent ? (exact.length > 1 ? 'agents ' : 'agent ') : ''}${listOf([...exact, ...begun])}`;
}

function nameOf(name: string): string {
  return PLAIN_NAME.test(name) ? name : JSON.stringify(name);
}

function hasStar(words: string): boolean {
  return words.split(' ').includes('*');
}

function valueOf(value: unknown): string {
  return stringifyExact(value);
}

function listOf(texts: readonly string[]): string {
  if (texts.length < 2) return texts.join('');
  return `${texts.slice(0, -1).join(', ')} or ${texts.at(-1)}`;
}

/** Puts a comma before the joining word, because the texts may contain "or". */
function joined(texts: readonly string[], word: string): string {
  if (texts.length < 2) return texts.join('');
  return `${texts.slice(0, -1).join(', ')}, ${word} ${texts.at(-1)}`;
}

function dayOf(time: string, timeZone: string | undefined): string {
  const at = Date.parse(time);
  if (Number.isNaN(at)) return time;
  return new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone }).format(at);
}
