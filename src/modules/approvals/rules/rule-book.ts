import { Injectable } from '@nestjs/common';
import { Logger } from '../../../common/logger.js';
import { Database, type SqlReader } from '../../../database/database.js';
import type { ApprovalRule } from './approval-rule.entity.js';
import type { Rule, StoredRule } from './rule.js';
import { storedRule } from './rule-body.js';
import { RulesRepository } from './rules.repository.js';

/**
 * Milliseconds for which one of several servers assumes that there are still no rules. Creating a rule waits this long before the response,
 * unless all servers must already know of another rule.
 */
const NONE_MS = 1_000;

const ASK_ALL: Rule = {
  ...{ effect: 'ask', agents: ['*'], tools: ['*'], where: [], takesOthers: false, folder: null, limits: null },
  ...{ expiresAtMs: null, note: '' },
};

/** The active rules. Rules never change, so each is read once; which are active is queried every time, unless there are none. */
@Injectable()
export class RuleBook {
  private known: ReadonlyMap<string, StoredRule> = new Map();
  /** When this server first saw each active rule, in monotonic time. */
  private seenAtMs: ReadonlyMap<string, number> = new Map();
  /** Monotonic time of a query that found no rules; null if unknown. */
  private noneAtMs: number | null = null;
  private changes = 0;

  constructor(
    private readonly rules: RulesRepository,
    private readonly database: Database,
    private readonly logger: Logger,
  ) {}

  /** @param reader within a transaction; under `RuleLock`, the result holds until its end */
  async active(reader: SqlReader, nowMs: number): Promise<StoredRule[]> {
    if (this.hasNone()) return [];
    const [askedAtMs, changes] = [performance.now(), this.changes];
    const ids = await this.rules.activeIds(nowMs, reader);
    if (ids.length === 0 && changes === this.changes) this.noneAtMs = askedAtMs;
    // Concurrent calls replace `this.known`.
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
   * Milliseconds until no server still assumes that there are no rules; 0 if this one has seen one of the others for that long. Measured
   * here, because a rule's creation time does not tell when it was committed.
   */
  waitMsBeside(others: readonly StoredRule[]): number {
    if (!this.database.isShared) return 0;
    const latestMs = performance.now() - NONE_MS;
    return others.some(({ id }) => (this.seenAtMs.get(id) ?? Infinity) <= latestMs) ? 0 : NONE_MS;
  }

  /** Call this after this server has created a rule. */
  noteMade(id: string): void {
    this.changes += 1;
    this.noneAtMs = null;
    this.seenAtMs = new Map([...this.seenAtMs, [id, performance.now()]]);
  }

  /** An unreadable rule may forbid anything, so people are asked about everything. */
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
