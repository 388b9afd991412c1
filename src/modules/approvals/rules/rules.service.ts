import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { newId } from '../../../common/ids.js';
import { decodeCursor, toPage } from '../../../common/pagination.js';
import type { Piece } from '../../../common/piece.js';
import { deciderOf, type Principal } from '../../../common/principal.js';
import { Database } from '../../../database/database.js';
import type { ApprovalRule } from './approval-rule.entity.js';
import type { Rule } from './rule.js';
import { RuleBook } from './rule-book.js';
import { readOrder, readRehearsal } from './rule-body.js';
import { RuleLock } from './rule-lock.js';
import { RuleRehearsalService } from './rule-rehearsal.service.js';
import { ruleJson } from './rule-view.js';
import {
  historyUnfinished,
  MAX_ACTIVE_RULES,
  mayNotRevoke,
  ruleDisagrees,
  ruleNotFound,
  tooManyRules,
} from './rules.errors.js';
import { RulesRepository, type RuleStatusFilter } from './rules.repository.js';

const CURSOR = 'rules';

/** Creates, rehearses, lists and revokes standing rules. */
@Injectable()
export class RulesService {
  constructor(
    private readonly rules: RulesRepository,
    private readonly book: RuleBook,
    private readonly lock: RuleLock,
    private readonly rehearsals: RuleRehearsalService,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates a rule and returns its record as JSON text; from then on it counts on every server.
   * @param body exact JSON
   * @throws DomainError `invalid`, also `unsafe_rule`; `rule_disagrees` with the result of a rehearsal; `too_many_rules`;
   * `history_unfinished` if the rehearsal of an `allow` ran out of time
   */
  async create(body: Buffer, caller: Principal): Promise<string> {
    const nowMs = this.clock.nowMs();
    const { read, disagreements } = readOrder(body, nowMs);
    const { rule, json } = read;
    if (rule.effect === 'allow') await this.checkRehearsal(rule, disagreements);
    const { by, through } = deciderOf(caller, null);
    const row: ApprovalRule = {
      ...{ id: newId(), effect: rule.effect, rule: json, expires_at: rule.expiresAtMs },
      ...{ created_at: nowMs, created_by: by, created_through: through },
      ...{ revoked_at: null, revoked_by: null, revoked_through: null, uses: 0, amount: '0', last_used_at: null },
    };
    const waitMs = await this.lock.change(async (session) => {
      if ((await this.rules.count('active', nowMs, session)) >= MAX_ACTIVE_RULES) throw tooManyRules();
      const others = await this.book.active(session, nowMs);
      await this.rules.insert(session, row);
      return this.book.waitMsBeside(others);
    });
    this.book.noteMade(row.id);
    if (waitMs > 0) await setTimeout(waitMs);
    return ruleJson(row, nowMs);
  }

  /** What a rule would have said, as JSON. @throws DomainError `invalid`, before the first piece */
  async *rehearse(body: Buffer): AsyncGenerator<Piece> {
    const { rule, sinceMs } = readRehearsal(body, this.clock.nowMs());
    yield* this.rehearsals.json(await this.rehearsals.rehearse(rule, sinceMs));
  }

  /** @throws DomainError `not_found` */
  async get(id: string): Promise<string> {
    const row = await this.rules.find(id);
    if (row === null) throw ruleNotFound();
    return ruleJson(row, this.clock.nowMs());
  }

  /** A page as JSON, newest first. @throws DomainError `invalid` for a cursor of another list */
  async *list(
    filter: RuleStatusFilter,
    limit: number,
    cursor: string | null,
    hasTotal: boolean,
  ): AsyncGenerator<Piece> {
    const scope = `${CURSOR}-${filter}`;
    const [time, id] = cursor === null ? [] : decodeCursor(scope, cursor, ['bigint', 'text']);
    const after = cursor === null ? null : { created_at: Number(time), id: String(id) };
    const nowMs = this.clock.nowMs();
    const rows = await this.rules.list(filter, nowMs, after, limit + 1);
    const page = toPage(rows, limit, scope, (row) => [Number(row.created_at), row.id]);
    yield '{"items":[';
    for (const [i, row] of page.items.entries()) yield `${i > 0 ? ',' : ''}${ruleJson(row, nowMs)}`;
    const total = hasTotal ? `,"total":${await this.rules.count(filter, nowMs)}` : '';
    yield `],"next_cursor":${JSON.stringify(page.next_cursor)}${total}}`;
  }

  /**
   * Revokes a rule: after this, nothing is decided by it. Revoking again changes nothing.
   * @throws DomainError `not_found`; `forbidden` for an approver, unless it is an `allow`
   */
  async revoke(id: string, caller: Principal): Promise<void> {
    const { by, through } = deciderOf(caller, null);
    await this.lock.change(async (session) => {
      const row = await this.rules.find(id, session);
      if (row === null) throw ruleNotFound();
      if (row.effect !== 'allow' && caller.scope !== 'admin') throw mayNotRevoke(row.effect);
      if (row.revoked_at !== null) return;
      const revoked = { revoked_at: this.clock.nowMs(), revoked_by: by, revoked_through: through };
      await this.rules.revoke(session, { ...row, ...revoked });
    });
  }

  private async checkRehearsal(rule: Rule, expected: number): Promise<void> {
    const rehearsal = await this.rehearsals.rehearse(rule, null);
    const { disagreements, isTimedOut } = rehearsal;
    if (isTimedOut) throw historyUnfinished();
    if (disagreements === 0 || disagreements === expected) return;
    throw ruleDisagrees(disagreements, await this.rehearsals.summary(rehearsal));
  }
}
