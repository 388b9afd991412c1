import type { Step, Who } from '../../factories/stranger-scripts.js';

/**
 * The marks that a token bound to the agent `who` may see: those of its agents' events, and of events that an unbound token or the token
 * itself reported below a run of its agents. Does not say when it sees which.
 */
export function visibleMarks(steps: readonly Step[], who: Exclude<Who, 'all'>): Set<string> {
  const isOwn = (agent: unknown) => agent === who || String(agent).startsWith(`${who}:`);
  const events = steps.flatMap((step) => step.events.map((event) => ({ by: step.who, data: event.data })));
  // An unbound token may continue a run of these agents under other names.
  const trusted = events.filter(({ by }) => by === who || by === 'all');
  const traces = new Set(trusted.filter(({ data }) => isOwn(data.agent_id)).map(({ data }) => data.trace_id));
  for (let before = -1; before !== traces.size;) {
    before = traces.size;
    for (const { data } of trusted) if (traces.has(data.parent_trace_id)) traces.add(data.trace_id);
  }
  // Without a trace it may mean any of its runs.
  const isAmong = (trace: unknown) => traces.has(trace) || (trace === undefined && traces.size > 0);
  const seen = trusted.filter(({ by, data }) => by === who || isOwn(data.agent_id) || isAmong(data.trace_id));
  return new Set(seen.flatMap(({ data }) => JSON.stringify(data).match(/mark-\d+/g) ?? []));
}

/**
 * Whether an unbound token names a parent that exists twice, because another token has used its trace: the run is then nobody's sub-run.
 */
export function isParentUnclear(steps: readonly Step[], who: Exclude<Who, 'all'>): boolean {
  const events = steps.flatMap((step) => step.events.map(({ data }) => ({ by: step.who, data })));
  const taken = events.filter(({ by }) => by !== 'all' && by !== who).map(({ data }) => data.trace_id);
  return events.some(
    ({ by, data }) => by === 'all' && data.parent_trace_id !== 'u1' && taken.includes(data.parent_trace_id),
  );
}
