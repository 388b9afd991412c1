import { isoTimeOrNull } from '../../../common/clock.js';
import { invalidField } from '../../../common/domain-error.js';
import { ConditionReader } from './condition-reader.js';
import { compareDecimals, ZERO } from './decimal.js';
import type { ExactNode } from './exact-tree.js';
import { RuleFaults } from './rule-faults.js';
import { folderIn, isStorable, numberIn, pointerIn } from './rule-values.js';
import { RULE_EFFECTS, type Condition, type Rule, type RuleEffect, type RuleLimits } from './rule.js';

/** Of the normalised JSON. */
const MAX_RULE_BYTES = 16 * 1024;
const MAX_CONDITIONS = 30;
const MAX_NAMES = 100;
/** As for agent ids. */
const MAX_NAME = 512;
const MAX_NOTE = 1_000;
const MAX_PER_DAY = 10_000;
const DAY_MS = 24 * 3_600_000;
const DEFAULT_DAYS = 90;
const MAX_DAYS = 366;
/** The end of the year 9999. */
const MAX_TIME_MS = 253_402_300_799_999;

export const RULE_MEMBERS = ['effect', 'agents', 'tools', 'where', 'other', 'folder', 'limits', 'expires_at', 'note'];
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

/** A rule as it was sent. */
export interface ReadRule {
  rule: Rule;
  /** All of its members as exact JSON, to be stored and shown. */
  json: string;
}

/** Reads the members of a rule and collects all faults. */
export class RuleReader {
  private readonly faults: RuleFaults;
  private effect: RuleEffect = 'allow';

  constructor(
    private readonly members: ReadonlyMap<string, ExactNode>,
    private readonly nowMs: number,
    private readonly prefix: string,
  ) {
    this.faults = new RuleFaults(prefix);
  }

  /** @throws DomainError `invalid` */
  read(): ReadRule {
    const rule = this.parse();
    this.faults.throwAll();
    const json = this.json(rule);
    if (Buffer.byteLength(json) <= MAX_RULE_BYTES) return { rule, json };
    throw invalidField(this.prefix.slice(0, -1) || 'body', 'must have at most 16 KiB');
  }

  /** Ignores dangers: the rule may be older than their checks. @throws DomainError if it is not a rule */
  readStored(): Rule {
    const rule = this.parse();
    this.faults.throwFaults();
    return rule;
  }

  private parse(): Rule {
    for (const name of this.members.keys()) {
      if (!RULE_MEMBERS.includes(name))
        this.faults.fault(name, `is not a known field; known are ${RULE_MEMBERS.join(', ')}`);
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
      this.faults.fault(member, `must be a list of 1 to ${MAX_NAMES} names`);
    return elements.map((element, i) => {
      const name = element.kind === 'string' ? element.value : '';
      const isFine = name !== '' && name.length <= MAX_NAME && isStorable(name);
      if (!isFine) this.faults.fault(`${member}[${i}]`, `must be a name of 1 to ${MAX_NAME} characters`);
      else if (this.isAllow && name.includes('*'))
        this.faults.danger(`${member}[${i}]`, 'must be an exact name: only deny and ask take a trailing *');
      else if (name.slice(0, -1).includes('*'))
        this.faults.fault(`${member}[${i}]`, 'may have * only as its last character');
      return name;
    });
  }

  private conditions(): Condition[] {
    const node = this.present('where');
    if (node === null) return [];
    if (node.kind !== 'array' || node.elements.length > MAX_CONDITIONS) {
      this.faults.fault('where', `must be a list of at most ${MAX_CONDITIONS} conditions`);
      return [];
    }
    const reader = new ConditionReader(this.faults, this.isAllow);
    return node.elements.flatMap((element, i) => reader.read(element, `where[${i}]`) ?? []);
  }

  private others(): boolean {
    const other = this.choice('other', ['none', 'any'] as const);
    if (!this.isAllow && other === 'any')
      this.faults.fault('other', 'is only for allow: deny and ask look at nothing but their conditions');
    return other === 'any';
  }

  private folder(): string | null {
    const node = this.present('folder');
    return node === null ? null : folderIn(node, 'folder', this.faults);
  }

  private limits(): RuleLimits | null {
    const node = this.present('limits');
    if (!this.isAllow) return node === null ? null : this.faults.fault('limits', 'is only for allow');
    if (node?.kind !== 'object')
      return this.faults.fault('limits', 'must have per_day: how many calls it may allow in 24 hours');
    for (const name of node.members.keys()) {
      if (!['per_day', 'sum'].includes(name))
        this.faults.fault(`limits.${name}`, 'is not a known field; known are per_day, sum');
    }
    const perDayText = node.members.get('per_day')?.text.toString() ?? '';
    const perDay = /^[1-9]\d{0,4}$/.test(perDayText) ? Number(perDayText) : 0;
    if (perDay < 1 || perDay > MAX_PER_DAY)
      this.faults.fault('limits.per_day', `must be an integer from 1 to ${MAX_PER_DAY}`);
    const sum = node.members.get('sum');
    return { perDay, sum: sum === undefined || String(sum.text) === 'null' ? null : this.sum(sum) };
  }

  private sum(node: ExactNode): RuleLimits['sum'] {
    if (node.kind !== 'object') return this.faults.fault('limits.sum', 'must be an object with path and per_day');
    for (const name of node.members.keys()) {
      if (!['path', 'per_day'].includes(name))
        this.faults.fault(`limits.sum.${name}`, 'is not a known field; known are path, per_day');
    }
    const pointer = pointerIn(node.members.get('path'), 'limits.sum.path', '/amount', this.faults);
    const limit = node.members.get('per_day');
    const perDay = limit
      ? numberIn(limit, 'limits.sum.per_day', this.faults)
      : this.faults.fault('limits.sum.per_day', 'must be there');
    if (perDay && compareDecimals(perDay, ZERO) <= 0) this.faults.fault('limits.sum.per_day', 'must be above 0');
    return perDay && pointer && { ...pointer, perDay };
  }

  private expiry(): number | null {
    const node = this.present('expires_at');
    if (node === null) return this.isAllow ? this.nowMs + DEFAULT_DAYS * DAY_MS : null;
    const ms = timeIn(node);
    if (Number.isNaN(ms)) return this.faults.fault('expires_at', 'must be a time such as 2026-12-31T00:00:00Z');
    if (ms <= this.nowMs) this.faults.fault('expires_at', 'must be in the future');
    if (this.isAllow && ms > this.nowMs + MAX_DAYS * DAY_MS)
      this.faults.fault('expires_at', `must be at most ${MAX_DAYS} days from now: an allow ends`);
    return ms;
  }

  private text(member: string, limit: number): string | null {
    const node = this.present(member);
    if (node === null) return null;
    const text = node.kind === 'string' ? node.value : '';
    const isFine = text.trim() !== '' && text.length <= limit && isStorable(text);
    return isFine ? text : this.faults.fault(member, `must be a text of 1 to ${limit} characters`);
  }

  private choice<T extends string>(member: string, choices: readonly T[]): T | null {
    const node = this.present(member);
    if (node === null) return null;
    const found = choices.find((choice) => node.kind === 'string' && node.value === choice);
    return found ?? this.faults.fault(member, `must be one of ${choices.join(', ')}`);
  }

  /** Null if absent or null. */
  private present(member: string): ExactNode | null {
    const node = this.members.get(member);
    return node === undefined || String(node.text) === 'null' ? null : node;
  }

  private missing<T>(member: string, value: T): T {
    if (this.present(member) === null) this.faults.fault(member, 'must be there');
    return value;
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
      expires_at: JSON.stringify(isoTimeOrNull(rule.expiresAtMs)),
      note: JSON.stringify(rule.note),
    };
    return `{${Object.entries(members)
      .map(([name, text]) => `"${name}":${text}`)
      .join(',')}}`;
  }
}

/** Milliseconds; NaN if it is not a time. */
export function timeIn(node: ExactNode): number {
  const ms = node.kind === 'string' && TIME.test(node.value) ? Date.parse(node.value) : NaN;
  return ms <= MAX_TIME_MS ? ms : NaN;
}
