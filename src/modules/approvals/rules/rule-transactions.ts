import { Injectable } from '@nestjs/common';
import type { UnitOfWork } from '../../threads/journal/thread-journal.service.js';
import type { StoredRule } from './rule.js';
import { RuleBook } from './rule-book.js';
import { RuleLock } from './rule-lock.js';
import { RuleUsesOfTransaction } from './rule-uses.js';
import { RulesRepository } from './rules.repository.js';

/** The rules within a transaction that holds their lock: nobody changes or uses them until it ends. */
export interface HeldRules {
  readonly rules: readonly StoredRule[];
  readonly uses: RuleUsesOfTransaction;
}

/** The rules as journal transactions see them. */
@Injectable()
export class RuleTransactions {
  private readonly held = new WeakMap<UnitOfWork, HeldRules>();
  private readonly seen = new WeakMap<UnitOfWork, readonly StoredRule[]>();

  constructor(
    private readonly repository: RulesRepository,
    private readonly book: RuleBook,
    private readonly lock: RuleLock,
  ) {}

  /**
   * The rules active when the transaction first asked, after all of its jobs had arrived. Without the lock they may change before the
   * commit.
   */
  async rulesOf(unitOfWork: UnitOfWork): Promise<readonly StoredRule[]> {
    const known = this.held.get(unitOfWork)?.rules ?? this.seen.get(unitOfWork);
    if (known) return known;
    const rules = await this.book.active(unitOfWork.reader, unitOfWork.nowMs);
    this.seen.set(unitOfWork, rules);
    return rules;
  }

  /** Takes the lock and reads the rules again. */
  async hold(unitOfWork: UnitOfWork): Promise<HeldRules> {
    const known = this.held.get(unitOfWork);
    if (known) return known;
    await this.lock.hold(unitOfWork);
    const { reader, nowMs } = unitOfWork;
    const held = {
      rules: await this.book.active(reader, nowMs),
      uses: new RuleUsesOfTransaction(this.repository, reader, nowMs),
    };
    this.held.set(unitOfWork, held);
    return held;
  }
}
