import { MAX_AMOUNT } from '../../../common/amounts.js';

const WARNING_LEVEL = 0.8;

/** What a reported cost means for a run. */
export interface BudgetReading {
  /** The warning level is reached for the first time. */
  isWarning: boolean;
  isExceeded: boolean;
}

/** Watches the cost of one run, in US dollars. */
export class BudgetMeter {
  constructor(
    /** Null for no limit. */
    readonly budgetUsd: number | null,
    private highestUsd: number,
    private hasWarned: boolean,
  ) {}

  get costUsd(): number {
    return this.highestUsd;
  }

  get isWarned(): boolean {
    return this.hasWarned;
  }

  get isExceeded(): boolean {
    return this.budgetUsd !== null && this.highestUsd > this.budgetUsd;
  }

  /** Call it when the program itself has reported the warning. */
  noteWarned(): void {
    this.hasWarned = true;
  }

  /**
   * @param cost `run_cost_usd` as reported; anything but a number is ignored. Values above the API's maximum count as that maximum, so that
   * the run's end can be reported.
   */
  read(cost: unknown): BudgetReading {
    if (typeof cost === 'number' && Number.isFinite(cost)) {
      this.highestUsd = Math.max(this.highestUsd, Math.min(cost, MAX_AMOUNT));
    }
    const isWarning = this.budgetUsd !== null && !this.hasWarned && this.highestUsd >= WARNING_LEVEL * this.budgetUsd;
    if (isWarning) this.hasWarned = true;
    return { isWarning, isExceeded: this.isExceeded };
  }
}
