import { NotCanonicalError } from '../../../common/canonical-json.js';
import { DomainError, invalidField, MAX_FAULTS, type FieldFault } from '../../../common/domain-error.js';
import { visitMembers } from '../../../http/body/json-body.js';
import { canonicalOf, exactTree, type ExactNode } from './exact-tree.js';
import { isoTime } from '../../../common/clock.js';
import { compareDecimals, decimalOf, MAX_DIGITS, ZERO, type Decimal } from './decimal.js';
import {
  hostIn,
  mayHoldProgram,
  pointerTokens,
  RULE_EFFECTS,
  type Condition,
  type Rule,
  type RuleEffect,
  type RuleLimits,
  type Test,
} from './rule.js';
import { wordsFault } from './words-fault.js';

/** Bytes of a rule. */
const MAX_RULE_BYTES = 16 * 1024;
const MAX_CONDITIONS = 30;
const MAX_VALUES = 100;
const MAX_NAMES = 100;
const MAX_NAME = 256;
const MAX_PATH = 512;
const MAX_TEXT = 4_000;
const MAX_NOTE = 1_000;
const MAX_PER_DAY = 10_000;
const DAY_MS = 24 * 3_600_000;
const DEFAULT_DAYS = 90;
const MAX_DAYS = 366;
/** The end of the year 9999. */
const MAX_TIME_MS = 253_402_300_799_999;

const MEMBERS = ['effect', 'agents', 'tools', 'where', 'other', 'folder', 'limits', 'expires_at', 'note'];
const OPERATORS = ['equals', 'one_of', 'min', 'max', 'prefix', 'within', 'words', 'any'];
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

/** A rule as it was sent. */
export interface ReadRule {
  rule: Rule;
  /** All of its members as exact JSON, to be stored and shown. */
  json: string;
}

/**
 * Reads a body that must be a JSON object in which no name is twice.
 * @throws DomainError `invalid`
 */
function readBody(body: Buffer, known: readonly string[]): ReadonlyMap<string, ExactNode> {
  visitMembers(body, () => undefined);
  const tree = treeOf(body);
  if (tree.kind !== 'object') throw invalidField('body', 'must be a JSON object');
  for (const name of tree.members.keys()) {
    if (!known.includes(name)) throw invalidField(name, `is not a known field; known are ${known.join(', ')}`);
  }
  return tree.members;
}

/** @param body exact JSON @throws DomainError `invalid`, also with the code `unsafe_rule`, that names every faulty member */
export function readRule(body: Buffer, nowMs: number): ReadRule {
  return readRuleIn(readBody(body, MEMBERS), nowMs, '');
}

/** An order to make a rule. */
export interface RuleOrder {
  read: ReadRule;
  /** With how many decisions of people it may disagree. */
  disagreements: number;
}

/** @throws DomainError as `readRule` */
export function readOrder(body: Buffer, nowMs: number): RuleOrder {
  const members = new Map(readBody(body, [...MEMBERS, 'disagreements']));
  const text = members.get('disagreements')?.text.toString() ?? 'null';
  if (text !== 'null' && !/^(?:0|[1-9]\d{0,8})$/.test(text))
    throw invalidField('disagreements', 'must be an integer from 0');
  members.delete('disagreements');
  return { read: readRuleIn(members, nowMs, ''), disagreements: text === 'null' ? 0 : Number(text) };
}

/** An order to rehearse a rule on what was decided since a time; null for ever. */
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
 * The same of members that were read.
 * @param prefix of the paths in errors
 */
function readRuleIn(members: ReadonlyMap<string, ExactNode>, nowMs: number, prefix: string): ReadRule {
  return new RuleReader(members, nowMs, prefix).read();
}

/** A rule as `ReadRule.json` has it. @throws DomainError for a text that this server cannot read */
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

class RuleReader {
  private readonly faults: FieldFault[] = [];
  private readonly dangers: FieldFault[] = [];
  private effect: RuleEffect = 'allow';

  constructor(
    private readonly members: ReadonlyMap<string, ExactNode>,
    private readonly nowMs: number,
    private readonly prefix: string,
  ) {}

  /** @throws DomainError `invalid` */
  read(): ReadRule {
    const rule = this.parse();
    const isInvalid = this.faults.length > 0;
    const errors = (isInvalid ? this.faults : this.dangers).slice(0, MAX_FAULTS);
    if (errors.length > 0) throw invalid(isInvalid ? 'invalid_request' : 'unsafe_rule', errors);
    const json = this.json(rule);
    if (Buffer.byteLength(json) <= MAX_RULE_BYTES) return { rule, json };
    throw invalidField(this.prefix.slice(0, -1) || 'body', 'must have at most 16 KiB');
  }

  /** Without looking for dangers: these rules were made when they were none. @throws DomainError for what is no rule */
  readStored(): Rule {
    const rule = this.parse();
    if (this.faults.length > 0) throw invalid('invalid_request', this.faults);
    return rule;
  }

  private parse(): Rule {
    for (const name of this.members.keys()) {
      if (!MEMBERS.includes(name)) this.fault(name, `is not a known field; known are ${MEMBERS.join(', ')}`);
    }
    this.effect = this.choice('effect', RULE_EFFECTS) ?? this.missing('effect', 'allow');
    return {
      effect: this.effect,
      agents: this.names('agents'),
      tools: this.names('tools'),
      where: this.conditions(),
      takesOthers: this.others(),
      folder: this.folder(),
      limits: this.limits(),
      expiresAtMs: this.expiry(),
      note: this.text('note', MAX_NOTE) ?? this.missing('note', ''),
    };
  }

  private get isAllow(): boolean {
    return this.effect === 'allow';
  }

  private names(member: string): string[] {
    const node = this.members.get(member);
    const elements = node?.kind === 'array' ? node.elements : [];
    if (elements.length === 0 || elements.length > MAX_NAMES)
      this.fault(member, `must be a list of 1 to ${MAX_NAMES} names`);
    return elements.map((element, i) => {
      const name = element.kind === 'string' ? element.value : '';
      const isFine = name !== '' && name.length <= MAX_NAME && isStorable(name);
      if (!isFine) this.fault(`${member}[${i}]`, `must be a name of 1 to ${MAX_NAME} characters`);
      else if (this.isAllow && name.includes('*'))
        this.danger(`${member}[${i}]`, 'must be an exact name: only deny and ask take a trailing *');
      else if (name.slice(0, -1).includes('*')) this.fault(`${member}[${i}]`, 'may have * only as its last character');
      return name;
    });
  }

  private conditions(): Condition[] {
    const node = this.present('where');
    if (node === null) return [];
    if (node.kind !== 'array' || node.elements.length > MAX_CONDITIONS) {
      this.fault('where', `must be a list of at most ${MAX_CONDITIONS} conditions`);
      return [];
    }
    return node.elements.flatMap((element, i) => this.condition(element, `where[${i}]`) ?? []);
  }

  private condition(node: ExactNode, at: string): Condition | null {
    if (node.kind !== 'object') return this.fault(at, 'must be an object');
    const pathNode = node.members.get('path');
    const path = pathNode?.kind === 'string' ? pathNode.value : null;
    const tokens = path === null || path.length > MAX_PATH || !isStorable(path) ? null : pointerTokens(path);
    if (path === null || tokens === null) return this.fault(`${at}.path`, 'must be a JSON pointer, such as /command');
    const operators = [...node.members.keys()].filter((name) => name !== 'path');
    const unknown = operators.find((name) => !OPERATORS.includes(name));
    if (unknown !== undefined)
      return this.fault(`${at}.${unknown}`, `is not a known operator; known are ${OPERATORS.join(', ')}`);
    const isRange = operators.every((name) => name === 'min' || name === 'max');
    if (operators.length === 0 || (operators.length > 1 && !isRange)) {
      return this.fault(at, `must have one operator of ${OPERATORS.join(', ')}; only min and max go together`);
    }
    const test = isRange
      ? this.range(node.members, at)
      : this.test(operators[0]!, node.members.get(operators[0]!)!, `${at}.${operators[0]}`);
    if (test === null) return null;
    this.checkPlace(test, tokens, at);
    return { path, tokens, test };
  }

  /** What stands in such members is a program: a rule must say all of it. */
  private checkPlace(test: Test, tokens: readonly string[], at: string): void {
    if (!this.isAllow || !tokens.some(mayHoldProgram)) return;
    if (test.kind === 'any' || test.kind === 'prefix' || test.kind === 'within') {
      this.danger(at, 'must say the whole value, with equals, one_of or words: it may be a program');
    }
  }

  private range(members: ReadonlyMap<string, ExactNode>, at: string): Test | null {
    const [min, max] = ['min', 'max'].map((name) => {
      const node = members.get(name);
      return node ? this.number(node, `${at}.${name}`) : null;
    }) as [Decimal | null, Decimal | null];
    if (min && max && compareDecimals(min, max) > 0) this.fault(at, 'min must not be above max');
    return { kind: 'range', min, max };
  }

  private number(node: ExactNode, at: string): Decimal | null {
    const number = node.kind === 'number' ? decimalOf(canonicalOf(node)) : null;
    return number ?? this.fault(at, `must be a number of at most ${MAX_DIGITS} digits`);
  }

  private test(operator: string, node: ExactNode, at: string): Test | null {
    switch (operator) {
      case 'equals':
        return { kind: 'one_of', values: new Set([canonicalOf(node)]) };
      case 'one_of':
        return this.values(node, at);
      case 'prefix':
        return this.prefixTest(node, at);
      case 'within':
        return this.within(node, at);
      case 'words':
        return this.words(node, at);
      default:
        if (String(node.text) !== 'true') return this.fault(at, 'must be true');
        return { kind: 'any' };
    }
  }

  private values(node: ExactNode, at: string): Test | null {
    const isFine = node.kind === 'array' && node.elements.length > 0 && node.elements.length <= MAX_VALUES;
    if (!isFine) return this.fault(at, `must be a list of 1 to ${MAX_VALUES} values`);
    return { kind: 'one_of', values: new Set(node.elements.map(canonicalOf)) };
  }

  private prefixTest(node: ExactNode, at: string): Test | null {
    const prefix = this.string(node, at);
    if (prefix === null) return null;
    // What follows the host begins with a slash, or the host could go on: https://example.com.evil
    const isOpen = hostIn(prefix) === prefix || /^[a-z][a-z0-9+.-]*:\/?$/i.test(prefix);
    if (this.isAllow && isOpen) this.danger(at, 'must end the host of an address with /');
    return { kind: 'prefix', prefix };
  }

  private within(node: ExactNode, at: string): Test | null {
    const folder = this.absoluteFolder(node, at);
    return folder === null ? null : { kind: 'within', folder };
  }

  private words(node: ExactNode, at: string): Test | null {
    const text = this.string(node, at);
    if (text === null) return null;
    const words = text.split(' ');
    const isPlain = words.every((word) => word !== '' && !/[\s\p{C}\p{Z}]/u.test(word));
    if (!isPlain) return this.fault(at, 'must be words with single blanks between them');
    const danger = this.isAllow ? wordsFault(words) : null;
    if (danger !== null) this.danger(at, danger);
    return { kind: 'words', words };
  }

  private string(node: ExactNode, at: string): string | null {
    const text = node.kind === 'string' ? node.value : '';
    const isFine = text !== '' && text.length <= MAX_TEXT && isStorable(text);
    return isFine ? text : this.fault(at, `must be a text of 1 to ${MAX_TEXT} characters`);
  }

  private absoluteFolder(node: ExactNode, at: string): string | null {
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
      : this.fault(
          at,
          'must be an absolute path of a folder below /, such as /home/ada/project, without . and .. and no / at its end',
        );
  }

  private others(): boolean {
    const other = this.choice('other', ['none', 'any'] as const);
    if (!this.isAllow && other === 'any')
      this.fault('other', 'is only for allow: deny and ask look at nothing but their conditions');
    return other === 'any';
  }

  private folder(): string | null {
    const node = this.present('folder');
    return node === null ? null : this.absoluteFolder(node, 'folder');
  }

  private limits(): RuleLimits | null {
    const node = this.present('limits');
    if (!this.isAllow) return node === null ? null : this.fault('limits', 'is only for allow');
    if (node?.kind !== 'object')
      return this.fault('limits', 'must have per_day: how many calls it may allow in 24 hours');
    for (const name of node.members.keys()) {
      if (!['per_day', 'sum'].includes(name))
        this.fault(`limits.${name}`, 'is not a known field; known are per_day, sum');
    }
    const perDayText = node.members.get('per_day')?.text.toString() ?? '';
    const perDay = /^[1-9]\d{0,4}$/.test(perDayText) ? Number(perDayText) : 0;
    if (perDay < 1 || perDay > MAX_PER_DAY) this.fault('limits.per_day', `must be an integer from 1 to ${MAX_PER_DAY}`);
    const sum = node.members.get('sum');
    return { perDay, sum: sum === undefined || String(sum.text) === 'null' ? null : this.sum(sum) };
  }

  private sum(node: ExactNode): RuleLimits['sum'] {
    if (node.kind !== 'object') return this.fault('limits.sum', 'must be an object with path and per_day');
    for (const name of node.members.keys()) {
      if (!['path', 'per_day'].includes(name))
        this.fault(`limits.sum.${name}`, 'is not a known field; known are path, per_day');
    }
    const pathNode = node.members.get('path');
    const path =
      pathNode?.kind === 'string' && pathNode.value.length <= MAX_PATH && isStorable(pathNode.value)
        ? pathNode.value
        : null;
    const tokens = path === null ? null : pointerTokens(path);
    const limit = node.members.get('per_day');
    const perDay = limit ? this.number(limit, 'limits.sum.per_day') : this.fault('limits.sum.per_day', 'must be there');
    if (perDay && compareDecimals(perDay, ZERO) <= 0) this.fault('limits.sum.per_day', 'must be above 0');
    if (path === null || tokens === null)
      return this.fault('limits.sum.path', 'must be a JSON pointer, such as /amount');
    return perDay && { path, tokens, perDay };
  }

  private expiry(): number | null {
    const node = this.present('expires_at');
    if (node === null) return this.isAllow ? this.nowMs + DEFAULT_DAYS * DAY_MS : null;
    const ms = timeIn(node);
    if (Number.isNaN(ms)) return this.fault('expires_at', 'must be a time such as 2026-12-31T00:00:00Z');
    if (ms <= this.nowMs) this.fault('expires_at', 'must be in the future');
    if (this.isAllow && ms > this.nowMs + MAX_DAYS * DAY_MS)
      this.fault('expires_at', `must be at most ${MAX_DAYS} days from now: an allow ends`);
    return ms;
  }

  private text(member: string, limit: number): string | null {
    const node = this.present(member);
    if (node === null) return null;
    const text = node.kind === 'string' ? node.value : '';
    const isFine = text.trim() !== '' && text.length <= limit && isStorable(text);
    return isFine ? text : this.fault(member, `must be a text of 1 to ${limit} characters`);
  }

  private choice<T extends string>(member: string, choices: readonly T[]): T | null {
    const node = this.present(member);
    if (node === null) return null;
    const found = choices.find((choice) => node.kind === 'string' && node.value === choice);
    return found ?? this.fault(member, `must be one of ${choices.join(', ')}`);
  }

  /** Null where it is absent or null. */
  private present(member: string): ExactNode | null {
    const node = this.members.get(member);
    return node === undefined || String(node.text) === 'null' ? null : node;
  }

  private missing<T>(member: string, value: T): T {
    if (this.present(member) === null) this.fault(member, 'must be there');
    return value;
  }

  private fault(path: string, detail: string): null {
    this.faults.push({ path: this.prefix + path, detail });
    return null;
  }

  private danger(path: string, detail: string): null {
    this.dangers.push({ path: this.prefix + path, detail });
    return null;
  }

  private json(rule: Rule): string {
    const exact = (member: string, absent: string) => this.present(member)?.text.toString() ?? absent;
    const members = {
      effect: JSON.stringify(rule.effect),
      agents: JSON.stringify(rule.agents),
      tools: JSON.stringify(rule.tools),
      where: exact('where', '[]'),
      other: JSON.stringify(rule.takesOthers ? 'any' : 'none'),
      folder: JSON.stringify(rule.folder),
      limits: exact('limits', 'null'),
      expires_at: JSON.stringify(rule.expiresAtMs === null ? null : isoTime(rule.expiresAtMs)),
      note: JSON.stringify(rule.note),
    };
    return `{${Object.entries(members)
      .map(([name, text]) => `"${name}":${text}`)
      .join(',')}}`;
  }
}

/** Milliseconds; NaN for what is no time. */
function timeIn(node: ExactNode): number {
  const ms = node.kind === 'string' && TIME.test(node.value) ? Date.parse(node.value) : NaN;
  return ms <= MAX_TIME_MS ? ms : NaN;
}

/** PostgreSQL stores neither U+0000 nor halves of surrogate pairs. */
function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

function invalid(code: string, errors: readonly FieldFault[]): DomainError {
  return new DomainError('invalid', code, errors.map(({ path, detail }) => `${path}: ${detail}`).join('; '), {
    errors,
  });
}
