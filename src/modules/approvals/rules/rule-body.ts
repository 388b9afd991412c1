import { NotCanonicalError } from '../../../common/canonical-json.js';
import { invalidField } from '../../../common/domain-error.js';
import { textStart, visitMembers } from '../../../http/body/json-body.js';
import { exactTree, type ExactNode } from './exact-tree.js';
import { RULE_MEMBERS, RuleReader, timeIn, type ReadRule } from './rule-reader.js';
import type { Rule } from './rule.js';

/**
 * Reads a body that must be a JSON object without duplicate names.
 * @throws DomainError `invalid`
 */
function readBody(body: Buffer, known: readonly string[]): ReadonlyMap<string, ExactNode> {
  visitMembers(body, () => undefined);
  const tree = treeOf(body.subarray(textStart(body)));
  if (tree.kind !== 'object') throw invalidField('body', 'must be a JSON object');
  for (const name of tree.members.keys()) {
    if (!known.includes(name)) throw invalidField(name, `is not a known field; known are ${known.join(', ')}`);
  }
  return tree.members;
}

/** @param body exact JSON @throws DomainError `invalid`, also with the code `unsafe_rule`, that names every faulty member */
export function readRule(body: Buffer, nowMs: number): ReadRule {
  return readRuleIn(readBody(body, RULE_MEMBERS), nowMs, '');
}

/** A request to create a rule. */
export interface RuleOrder {
  read: ReadRule;
  /** How many decisions of people it may contradict. */
  disagreements: number;
}

/** @throws DomainError as `readRule` */
export function readOrder(body: Buffer, nowMs: number): RuleOrder {
  const members = new Map(readBody(body, [...RULE_MEMBERS, 'disagreements']));
  const text = members.get('disagreements')?.text.toString() ?? 'null';
  if (text !== 'null' && !/^(?:0|[1-9]\d{0,8})$/.test(text))
    throw invalidField('disagreements', 'must be an integer from 0');
  members.delete('disagreements');
  return { read: readRuleIn(members, nowMs, ''), disagreements: text === 'null' ? 0 : Number(text) };
}

/** A request to rehearse a rule on decisions since a time; null for all. */
export interface RehearsalOrder {
  rule: Rule;
  sinceMs: number | null;
}

/** @throws DomainError as `readRule`, with paths below `rule` */
export function readRehearsal(body: Buffer, nowMs: number): RehearsalOrder {
  const members = readBody(body, ['rule', 'since']);
  const rule = members.get('rule');
  if (rule?.kind !== 'object') throw invalidField('rule', 'must be an object');
  const since = members.get('since');
  const isAbsent = since === undefined || String(since.text) === 'null';
  const sinceMs = isAbsent ? null : timeIn(since);
  if (Number.isNaN(sinceMs)) throw invalidField('since', 'must be a time such as 2026-12-31T00:00:00Z');
  return { rule: readRuleIn(rule.members, nowMs, 'rule.').rule, sinceMs };
}

/**
 * The same for parsed members.
 * @param prefix of the paths in errors
 */
function readRuleIn(members: ReadonlyMap<string, ExactNode>, nowMs: number, prefix: string): ReadRule {
  return new RuleReader(members, nowMs, prefix).read();
}

/** Reads a rule from `ReadRule.json`. @throws DomainError if this server cannot read it */
export function storedRule(json: string, expiresAtMs: number | null): Rule {
  const tree = treeOf(Buffer.from(json));
  if (tree.kind !== 'object') throw invalidField('rule', 'must be an object');
  return new RuleReader(tree.members, (expiresAtMs ?? 0) - 1, '').readStored();
}

function treeOf(body: Buffer): ExactNode {
  try {
    return exactTree(body, '');
  } catch (error) {
    if (error instanceof NotCanonicalError) throw invalidField(error.path.replace(/^\./, ''), error.detail);
    throw error;
  }
}
