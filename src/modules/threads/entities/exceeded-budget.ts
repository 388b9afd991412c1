import { membersOf } from '../../../common/member-values.js';
import type { Checkpoint } from './checkpoint.entity.js';

type Spending = { [figure in keyof Pick<Checkpoint, 'run_cost_usd' | 'budget_usd'>]: number | null };

const SPENT = /^\{"spent":(\{[^}]*\}),"error":/;

/**
 * The data of an exceeded budget's event: what the run had spent by then, and the reported error.
 * @param error exact JSON
 */
export function exceededBudgetData(spending: Spending | null, error: string | null): string {
  return `{"spent":${spentText(spending)},"error":${error ?? 'null'}}`;
}

/** The figures as a JSON object, even if the data is cut off after them. Null for data of older versions. */
export function spentIn(data: string | null): string | null {
  return SPENT.exec(data ?? '')?.[1] ?? null;
}

/** The reported error as exact JSON; null for none. */
export function errorIn(data: string | null): string | null {
  if (data === null || !SPENT.test(data)) return data;
  const error = membersOf(data.trim().slice(1, -1)).find(([name]) => name === 'error');
  return error![1].toString();
}

/** Zero stands for "not reported". */
export function spentText(spending: Spending | null): string {
  const { run_cost_usd, budget_usd } = spending ?? { run_cost_usd: null, budget_usd: null };
  return JSON.stringify({ run_cost_usd: run_cost_usd || undefined, budget_usd: budget_usd || undefined });
}
