import { Injectable } from '@nestjs/common';
import { Database, type BoundStatement, type SqlReader, type SqlSession } from '../../../database/database.js';
import { PortDataSource } from '../../../database/port-data-source.js';
import { sqlLiteral, sqlTuple } from '../../../database/sql-literal.js';
import { ApprovalRule } from './approval-rule.entity.js';

/** Which rules are listed: active, ended or all. */
export type RuleStatusFilter = 'active' | 'ended' | 'all';

/** What a rule has used. */
export interface RuleUses {
  id: string;
  uses: number;
  amount: string;
  /** `uses` and `amount` before the first use of the last 24 hours; null if there was none. */
  first_uses: number | null;
  first_amount: string | null;
}

/** A page starts after this rule. */
export type RulePosition = Pick<ApprovalRule, 'created_at' | 'id'>;

const INSERT_USE =
  'INSERT INTO approval_rule_use(rule_id, uses_before, amount_before, used_at) VALUES ($1, $2, $3, $4)';
const SAVE_USES = 'UPDATE approval_rule SET uses = $1, amount = $2, last_used_at = $3 WHERE id = $4';

@Injectable()
export class RulesRepository {
  private readonly reader: SqlReader = { query: (sql, params) => this.database.read(sql, params) };

  constructor(
    private readonly database: Database,
    private readonly entities: PortDataSource,
  ) {}

  /** Ids of the rules active at this time. */
  async activeIds(nowMs: number, reader = this.reader): Promise<string[]> {
    const rows = await reader.query<{ id: string }>(`SELECT id FROM approval_rule WHERE ${isActive(nowMs)}`);
    return rows.map(({ id }) => id);
  }

  /** Rules with these ids, in any order. */
  findAll(ids: readonly string[], reader = this.reader): Promise<ApprovalRule[]> {
    if (ids.length === 0) return Promise.resolve([]);
    return reader.query<ApprovalRule>(
      `SELECT * FROM approval_rule WHERE id IN ${sqlTuple(ids, this.database.dialect)}`,
    );
  }

  async find(id: string, reader = this.reader): Promise<ApprovalRule | null> {
    const [found] = await this.findAll([id], reader);
    return found ?? null;
  }

  /** The total uses of rules, now and before this time. */
  usesOf(reader: SqlReader, ids: readonly string[], sinceMs: number): Promise<RuleUses[]> {
    const first = `SELECT MIN(w.uses_before) FROM approval_rule_use w WHERE w.rule_id = r.id AND w.used_at > ${sinceMs}`;
    return reader.query<RuleUses>(
      `SELECT r.id, r.uses, r.amount, f.uses_before AS first_uses, f.amount_before AS first_amount
       FROM approval_rule r LEFT JOIN approval_rule_use f ON f.rule_id = r.id AND f.uses_before = (${first})
       WHERE r.id IN ${sqlTuple(ids, this.database.dialect)}`,
    );
  }

  /** Records a use of an `allow`. */
  useStatement(id: string, usesBefore: number, amountBefore: string, nowMs: number): BoundStatement {
    return { sql: INSERT_USE, params: [id, usesBefore, amountBefore, nowMs] };
  }

  saveUsesStatement(id: string, uses: number, amount: string, nowMs: number): BoundStatement {
    return { sql: SAVE_USES, params: [uses, amount, nowMs, id] };
  }

  async insert(session: SqlSession, rule: ApprovalRule): Promise<void> {
    await this.entities.within(session).insert(ApprovalRule, rule);
  }

  async revoke(session: SqlSession, { id, revoked_at, revoked_by, revoked_through }: ApprovalRule): Promise<void> {
    await this.entities.within(session).update(ApprovalRule, { id }, { revoked_at, revoked_by, revoked_through });
  }

  /** A page of rules, newest first. */
  list(filter: RuleStatusFilter, nowMs: number, after: RulePosition | null, limit: number): Promise<ApprovalRule[]> {
    const conditions = [conditionOf(filter, nowMs)];
    if (after) {
      conditions.push(`(created_at, id) < (${after.created_at}, ${sqlLiteral(after.id, this.database.dialect)})`);
    }
    return this.database.read<ApprovalRule>(
      `SELECT * FROM approval_rule WHERE ${conditions.join(' AND ')} ORDER BY created_at DESC, id DESC LIMIT ${limit}`,
    );
  }

  async count(filter: RuleStatusFilter, nowMs: number, reader = this.reader): Promise<number> {
    const sql = `SELECT COUNT(*) AS total FROM approval_rule WHERE ${conditionOf(filter, nowMs)}`;
    const [row] = await reader.query<{ total: number }>(sql);
    return Number(row!.total);
  }

  /** Deletes uses before `sinceMs`; uses dated after `latestMs`, by a clock that was ahead, count from now on. */
  async tidyUses(sinceMs: number, latestMs: number, nowMs: number): Promise<void> {
    await this.database.transaction(async (session) => {
      await session.query('DELETE FROM approval_rule_use WHERE used_at < $1', [sinceMs]);
      await session.query('UPDATE approval_rule_use SET used_at = $1 WHERE used_at > $2', [nowMs, latestMs]);
    });
  }
}

function isActive(nowMs: number): string {
  return `revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${nowMs})`;
}

function conditionOf(filter: RuleStatusFilter, nowMs: number): string {
  if (filter === 'all') return '1 = 1';
  return filter === 'active' ? isActive(nowMs) : `NOT (${isActive(nowMs)})`;
}
