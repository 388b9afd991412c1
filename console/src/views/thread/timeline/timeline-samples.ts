import type { TimelineApproval, TimelineInput, TimelineRun, TimelineStep } from './timeline-input.js';
import { timelineData, timelineLayout } from './timeline-layout.js';
import type { Work } from './work.js';

export const BEGIN = Date.parse('2026-11-20T10:00:00Z');
export const WIDTH = 1_000;

export const iso = (second: number) => new Date(BEGIN + second * 1_000).toISOString();
export const run = (fields: Partial<TimelineRun> = {}): TimelineRun => ({
  ...{ trace_id: 'r1', parent_trace_id: null, agent_id: 'support', status: 'completed', error: null },
  ...{ started_at: iso(0), updated_at: iso(60) },
  ...fields,
});
export const step = (number: number, second: number, fields: Partial<TimelineStep> = {}): TimelineStep => ({
  ...{
    trace_id: 'r1',
    agent_id: 'support',
    attempt: 1,
    step_index: number,
    status: 'in_progress',
    tokens_used: 10 * (number + 1),
  },
  ...{ run_cost_usd: 0.01 * (number + 1), budget_usd: 1, budget_warning: false },
  reported_at: iso(second),
  ...fields,
});
/** Messages by the index of their step, each with its second. */
export const works = (
  ...found: (readonly [place: number, kind: Work['kind'], second: number])[]
): Map<number, Work[]> => {
  const byStep = new Map<number, Work[]>();
  for (const [place, kind, second] of found)
    byStep.set(place, [...(byStep.get(place) ?? []), { kind, at: BEGIN + second * 1_000 }]);
  return byStep;
};
export const approval = (fields: Partial<TimelineApproval> = {}): TimelineApproval => ({
  ...{ trace_id: 'r1', step: 0, attempt: 1, status: 'approved', decided_by: 'Kim' },
  ...{ created_at: iso(10), decided_at: iso(50) },
  ...fields,
});

export const drawn = (input: TimelineInput, nowSecond = 100) => {
  const data = timelineData(input, BEGIN + nowSecond * 1_000);
  return { ...data, layout: timelineLayout(data, WIDTH) };
};
