import { Injectable } from '@nestjs/common';
import { Logger } from '../../../common/logger.js';
import { Database, type SqlReader } from '../../../database/database.js';
import type { ApprovalRule } from './approval-rule.entity.js';
import type { Rule, StoredRule } from './rule.js';
import { storedRule } from './rule-body.js';
import { RulesRepository } from './rules.repository.js';

/**
 * Milliseconds for which a server believes that there are no rules, where others may make one: who makes one waits for so long before the
 * answer, unless all others must know of another rule.
 */
const NONE_MS = 1_000;

const ASK_ALL: Rule = {
  ...{ effect: 'ask', agents: ['*'], tools: ['*'], where: [], takesOthers: false, folder: null, limits: null },
  ...{ expiresAtMs: null, note: '' },
};

/** The rules that count. Their words never change, so each is read once; which ones count is asked anew, except where there are none. */
@Injectable()
export class RuleBook {
  private known: ReadonlyMap<string, StoredRule> = new Map();
  /** When this server first saw each of the rules that count, in monotonic time. */
  private seenAtMs: ReadonlyMap<string, number> = new Map();
  /** When it was asked, in monotonic time, whether there are rules, and there were none; null for not known. */
  private noneAtMs: number | null = null;
  private changes = 0;

  constructor(
    private readonly rules: RulesRepository,
    private readonly database: Database,
    private readonly logger: Logger,
  ) {}

  /** @param reader within a transaction; with `RuleLock` these are all until its end */
  async active(reader: SqlReader, nowMs: number): Promise<StoredRule[]> {
    if (this.hasNone()) return [];
    const [askedAtMs, changes] = [performance.now(), this.changes];
    const ids = await this.rules.activeIds(nowMs, reader);
    if (ids.length === 0 && changes === this.changes) this.noneAtMs = askedAtMs;
    // Others that ask meanwhile replace what is known.
    const { known } = this;
    const missing = ids.filter((id) => !known.has(id));
    const loaded = (await this.rules.findAll(missing, reader)).map((row) => this.toStored(row));
    const found = new Map(loaded.map((rule) => [rule.id, rule]));
    const active = ids.map((id) => (known.get(id) ?? found.get(id))!);
    this.known = new Map(active.map((rule) => [rule.id, rule]));
    const nowSeenMs = performance.now();
    this.seenAtMs = new Map(ids.map((id) => [id, this.seenAtMs.get(id) ?? nowSeenMs]));
    return active;
  }

  /**
   * Milliseconds until no server believes any more that there are no rules; 0 if this one has seen one of the others for so long.
   * Measured here, because the time at which a rule was made says nothing of when it was committed.
   */
  waitMsBeside(others: readonly StoredRule[]): number {
    if (!this.database.isShared) return 0;
    const latestMs = performance.now() - NONE_MS;
    return others.some(({ id }) => (this.seenAtMs.get(id) ?? Infinity) <= latestMs) ? 0 : NONE_MS;
  }

  /** Call this when this server has made a rule. */
  noteMade(id: string): void {
    this.changes += 1;
    this.noneAtMs = null;
    this.seenAtMs = new Map([...this.seenAtMs, [id, performance.now()]]);
  }

  /** One that this server cannot read may forbid anything, so everything is asked. */
  private toStored({ id, rule, created_at, expires_at }: ApprovalRule): StoredRule {
    const createdAtMs = Number(created_at);
    try {
      return { ...storedRule(rule, expires_at === null ? null : Number(expires_at)), id, createdAtMs };
    } catch (error) {
      this.logger.error({ err: error, rule_id: id }, 'a rule cannot be read; people are asked about all tool calls');
      return { ...ASK_ALL, id, createdAtMs };
    }
  }

  private hasNone(): boolean {
    if (this.noneAtMs === null) return false;
    return !this.database.isShared || performance.now() - this.noneAtMs < NONE_MS;
  }
}
