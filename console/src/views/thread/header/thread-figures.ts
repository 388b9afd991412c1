import { callsPlace } from '../../../lib/inbox-place.js';
import type { Step } from '../data/steps.js';
import type { Approval, ThreadRun } from '../data/thread-queries.js';

/** US dollars that the thread's runs may cost together: each run without a parent adds its budget once; 0 if none has one. */
export function budgetOf(runs: readonly ThreadRun[], steps: readonly Step[]): number {
  const known = new Set(runs.map(({ trace_id }) => trace_id));
  const roots = runs.filter(({ parent_trace_id }) => !parent_trace_id || !known.has(parent_trace_id));
  const budgets = new Map(roots.map(({ trace_id }) => [trace_id, 0]));
  for (const { trace_id, budget_usd } of steps) {
    const before = budgets.get(trace_id);
    if (before !== undefined) budgets.set(trace_id, Math.max(before, budget_usd));
  }
  return [...budgets.values()].reduce((sum, budget) => sum + budget, 0);
}

/** The place of the thread's oldest question; undefined until known. */
export function placeToDecide(approvals: readonly Approval[]): string | undefined {
  const pending = approvals.filter(({ status }) => status === 'pending');
  const [oldest] = pending.sort((one, other) => one.created_at.localeCompare(other.created_at));
  return oldest && callsPlace(oldest);
}

/** `9 in 2 attempts`, `30 in 3 runs`, or only the number. */
export function stepsText(runs: readonly ThreadRun[]): string {
  const steps = runs.reduce((sum, run) => sum + run.steps, 0);
  const attempts = runs.reduce((sum, run) => sum + run.attempts, 0);
  const parts = [
    ...(runs.length > 1 ? [`${runs.length} runs`] : []),
    ...(attempts > runs.length ? [`${attempts} attempts`] : []),
  ];
  const number = steps.toLocaleString('en-US');
  return parts.length > 0 ? `${number} in ${parts.join(', ')}` : number;
}

/** The channel whose chat a thread belongs to: the server writes it into the thread's id; null for others. */
export function channelIdOf(threadId: string): string | null {
  return /^channel:([^:]+):./.exec(threadId)?.[1] ?? null;
}
