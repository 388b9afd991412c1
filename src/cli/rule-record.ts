import {
  rehearsalSentence,
  ruleSentence,
  type RehearsalTotals,
  type RuleWords,
} from '../common/contract/rule-sentence.js';
import { parseExact } from '../common/exact-number.js';
import type { ApiClient } from './api-client.js';
import { CliError, isRefusal, RefusalError } from './cli-error.js';
import { findByPrefix } from './ids.js';
import { membersOf } from './json-members.js';
import { ageOf, localDay } from './local-time.js';
import { printable } from './printable.js';
import { printTable, type Terminal } from './terminal.js';

export const RULES_PATH = '/v1/rules';

export interface RuleRecord extends RuleWords {
  id: string;
  status: string;
  note: string;
  uses: number;
  last_used_at: string | null;
  created_at: string;
  created_by: string | null;
  created_through: string;
  revoked_at: string | null;
  revoked_by: string | null;
  revoked_through?: string | null;
}

/** What a rule would have decided about a call that people decided. */
export interface RehearsedCall {
  trace_id: string;
  step: number;
  name: string | null;
  decision: string;
  word: string | null;
  why: string | null;
  created_at: string;
  /** Exact JSON; absent where the server leaves it out. */
  args?: string;
}

export interface Rehearsal {
  items: RehearsedCall[];
  totals: RehearsalTotals;
  disagreements: number;
  is_partial: boolean;
}

/** A draft by the server; `open` names the arguments that it leaves unbounded. */
export interface RuleSuggestion {
  /** Exact JSON. */
  rule: string;
  calls: number;
  open: string[];
}

/** Number of rehearsed calls shown. */
const CALLS_SHOWN = 20;
const WORDS: Record<string, string> = { allow: 'allows', deny: 'rejects', ask: 'asks' };

/** The only rule whose id has this prefix, ended ones included. @throws CliError when there is none, or more than one */
export async function findRule(client: ApiClient, prefix: string): Promise<{ rule: RuleRecord; json: string }> {
  const items: { rule: RuleRecord; json: string }[] = [];
  for await (const json of client.items(RULES_PATH, { status: 'all' })) items.push({ rule: readRule(json), json });
  const hint = 'see waystation rules list --all.';
  return findByPrefix(prefix, { noun: 'rule', items, idOf: ({ rule }) => rule.id, hint });
}

export function readRule<Rule = RuleRecord>(json: string): Rule {
  return parseExact(json, { keepsSpelling: true }) as Rule;
}

/** The rule as one sentence. */
export function sentenceOf(rule: RuleWords): string {
  return printable(ruleSentence(rule));
}

/** When it ends or ended. */
export function endOf({ status, revoked_at, revoked_by, revoked_through, expires_at }: RuleRecord): string {
  if (revoked_at !== null)
    return `revoked ${localDay(revoked_at)} by ${printable(revoked_by ?? revoked_through ?? 'someone')}`;
  if (!expires_at) return 'never';
  return status === 'expired' ? `ended ${localDay(expires_at)}` : localDay(expires_at);
}

export function usedText({ uses, last_used_at: last }: RuleRecord): string {
  return last === null ? '-' : `${uses}, last ${ageOf(last, Date.now())} ago`;
}

/** @param json as the server sent it; also the details of an error */
export function readRehearsal(json: string): Rehearsal {
  const rehearsal = readRule<Omit<Rehearsal, 'items'>>(json);
  const items = membersOf(json, ['items']).filter(({ name }) => name === 'items');
  return { ...rehearsal, items: items.map(({ text }) => readCall(text)) };
}

/** Shows the calls that people decided differently first, then the others that the rule decides. */
export async function printRehearsal(rule: RuleWords, rehearsal: Rehearsal, terminal: Terminal): Promise<void> {
  const { items, totals, disagreements, is_partial: isPartial } = rehearsal;
  const partly = isPartial ? ' There are more calls than it could look at.' : '';
  terminal.print(rehearsalSentence(rule.effect, totals) + partly);
  if (disagreements > 0) terminal.print(`People decided ${disagreements} of these otherwise:`);
  const rows = items
    .slice(0, CALLS_SHOWN)
    .map(({ trace_id, step, name, decision, word, why, created_at, args }) => [
      decision,
      word === null ? '-' : (WORDS[word] ?? printable(word)),
      ageOf(created_at, Date.now()),
      `${printable(trace_id)} ${step}`,
      `${printable(name ?? '-')}${args === undefined ? '' : `(${printable(args)})`}`,
      printable(why ?? ''),
    ]);
  if (rows.length === 0) return;
  const columns = ['PEOPLE', 'RULE', 'SINCE', 'RUN AND STEP', { title: 'CALL', min: 20 }, 'WHY NOT'];
  await printTable(terminal, columns, rows, { canOverflow: true });
}

/** Drafts of rules from an agent's approvals, or from one approval. */
export async function fetchSuggestions(client: ApiClient, query: Record<string, string>): Promise<RuleSuggestion[]> {
  const json = await client.sendForText('GET', `${RULES_PATH}/suggestions?${new URLSearchParams(query)}`);
  const items = membersOf(json, ['items']).filter(({ name }) => name === 'items');
  return items.map(({ text }) => {
    const rule = membersOf(text).find(({ name }) => name === 'rule')!.text;
    return { ...(JSON.parse(text) as RuleSuggestion), rule };
  });
}

/** The rehearsal in the server's refusal of a rule that contradicts people; null for another error. */
export function disagreementIn(error: unknown): Rehearsal | null {
  if (!isRefusal(error, 409)) return null;
  const { response } = error as RefusalError;
  const problem = valueIn(response);
  return isObject(problem) && problem.code === 'rule_disagrees' ? readRehearsal(response) : null;
}

/**
 * The rule in a file, or in a line of `rules suggest --json`, as exact JSON. Checks only what its sentence needs; the server checks the
 * rest.
 * @throws CliError for a text without a rule
 */
export function ruleIn(text: string, file: string): string {
  const value = valueIn(text);
  const rule =
    isObject(value) && isObject(value.rule) ? membersOf(text).find(({ name }) => name === 'rule')!.text : text;
  const { effect, agents, tools, where, limits } = { ...(valueIn(rule) as Partial<RuleWords> | null) };
  const isFit =
    ['allow', 'deny', 'ask'].includes(effect!) &&
    [agents, tools].every((names) => Array.isArray(names) && names.every((name) => typeof name === 'string')) &&
    (isAbsent(where) || (Array.isArray(where) && where.every(isCondition))) &&
    (isAbsent(limits?.sum) || typeof limits?.sum?.path === 'string');
  if (isFit) return rule.trim();
  const shape = 'one JSON object with effect (allow, deny or ask), agents, tools and where';
  throw new CliError(`${printable(file)} holds no rule: it must be ${shape}.`);
}

/** Checks only what its words need. */
function isCondition(value: unknown): boolean {
  if (!isObject(value) || typeof value.path !== 'string') return false;
  const { one_of: values, words, within } = value;
  return (
    (isAbsent(values) || Array.isArray(values)) &&
    [words, within].every((text) => text === undefined || typeof text === 'string')
  );
}

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

function valueIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readCall(json: string): RehearsedCall {
  const args = membersOf(json).find(({ name }) => name === 'args')?.text;
  return { ...(JSON.parse(json) as RehearsedCall), args };
}
