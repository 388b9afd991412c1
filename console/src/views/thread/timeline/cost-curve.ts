import type { TimelineInput } from './timeline-input.js';
import type { TimelineModel } from './timeline-model.js';

export interface CostPoint {
  at: number;
  /** US dollars of all runs and attempts up to then. */
  cost: number;
  /** US dollars that the runs begun by then may cost; 0 if none has a budget. */
  budget: number;
}

/** The thread's cost over time. A run reports its cost since the attempt began; one without a parent adds its budget once. */
export function costCurve({ steps }: TimelineInput, { lanes, order }: TimelineModel): CostPoint[] {
  const spent = new Map<number, number>();
  const laneOf = new Map<number, (typeof lanes)[number]>();
  for (const lane of lanes) {
    let before = 0;
    for (const { index } of lane.steps) {
      const cost = Math.max(before, steps[index]!.run_cost_usd);
      spent.set(index, cost - before);
      laneOf.set(index, lane);
      before = cost;
    }
  }
  const at = new Map(lanes.flatMap((lane) => lane.steps.map((step) => [step.index, step.at] as const)));
  const budgets = new Map<string, number>();
  let [cost, budget] = [0, 0];
  return order.map((index) => {
    const { run, depth } = laneOf.get(index)!;
    cost += spent.get(index)!;
    const known = budgets.get(run.trace_id) ?? 0;
    const own = depth === 0 ? Math.max(known, steps[index]!.budget_usd) : 0;
    if (own > known) {
      budgets.set(run.trace_id, own);
      budget += own - known;
    }
    return { at: at.get(index)!, cost, budget };
  });
}
