import type { BoundStatement, SqlReader } from '../../../database/database.js';
import { add, compareDecimals, decimalText, storedDecimal, subtract, type Decimal } from './decimal.js';
import type { StoredRule } from './rule.js';
import type { Budget, RuleUse } from './rule-verdict.js';
import type { RulesRepository } from './rules.repository.js';

export const DAY_MS = 24 * 3_600_000;

/** A rule's totals, now and before the last 24 hours. */
interface Uses {
  uses: number;
  amount: Decimal;
  usesBefore: number;
  amountBefore: Decimal;
}

/** The uses of rules within a transaction that holds their lock: stored and added ones. */
export class RuleUsesOfTransaction implements Budget {
  private readonly known = new Map<string, Uses>();

  constructor(
    private readonly rules: RulesRepository,
    private readonly reader: SqlReader,
    private readonly nowMs: number,
  ) {}

  /** Loads the uses of these rules; only loaded rules have room. */
  async load(rules: readonly StoredRule[]): Promise<void> {
    const missing = rules.map(({ id }) => id).filter((id) => !this.known.has(id));
    if (missing.length === 0) return;
    for (const row of await this.rules.usesOf(this.reader, missing, this.nowMs - DAY_MS)) {
      const [uses, amount] = [Number(row.uses), storedDecimal(row.amount)];
      this.known.set(row.id, {
        ...{ uses, amount },
        usesBefore: row.first_uses === null ? uses : Number(row.first_uses),
        amountBefore: row.first_amount === null ? amount : storedDecimal(row.first_amount),
      });
    }
  }

  hasRoom({ rule, calls, amount }: RuleUse): boolean {
    const known = this.known.get(rule.id);
    if (!known || !rule.limits) return false;
    const { perDay, sum } = rule.limits;
    if (known.uses - known.usesBefore + calls > perDay) return false;
    return sum === null || compareDecimals(add(subtract(known.amount, known.amountBefore), amount), sum.perDay) <= 0;
  }

  /** Counts a use and returns the statements that store it. */
  add({ rule, calls, amount }: RuleUse): BoundStatement[] {
    const known = this.known.get(rule.id)!;
    const [usesBefore, amountBefore] = [known.uses, known.amount];
    known.uses += calls;
    known.amount = add(amountBefore, amount);
    const save = this.rules.saveUsesStatement(rule.id, known.uses, decimalText(known.amount), this.nowMs);
    if (rule.effect !== 'allow') return [save];
    return [this.rules.useStatement(rule.id, usesBefore, decimalText(amountBefore), this.nowMs), save];
  }
}
