import { exceededBudgetData } from '../entities/exceeded-budget.js';
import type { ThreadEventRecord } from './thread-events.repository.js';
import { threadEventLogEntry } from './thread-event-log-entry.js';

function event(change: Partial<ThreadEventRecord>): ThreadEventRecord {
  return {
    ...{ thread_pk: 1, seq: 5, kind: 'status', type: 'error', run_no: 1, step_index: 2, data: null },
    ...{ created_at: Date.UTC(2026, 10, 20), trace_id: 'run-1', parent_trace_id: null, agent_id: 'support' },
    ...{ run_cost_usd: null, budget_usd: null, cut_length: null },
    ...change,
  };
}

describe('The log entry of an event of a thread', () => {
  it('tells of a failure what was reported of it', () => {
    expect(threadEventLogEntry(event({ data: '"out of memory"' }))).toEqual({
      ts: '2026-11-20T00:00:00.000Z',
      level: 'error',
      kind: 'event',
      message: 'out of memory',
      agent_id: 'support',
      trace_id: 'run-1',
      step_index: 2,
    });
    expect(threadEventLogEntry(event({}))).toMatchObject({ level: 'error', message: 'The run failed' });
  });

  it.each([
    [{ run_cost_usd: 0.61, budget_usd: 0.5 }, 'Budget exceeded: $0.61 of $0.50 spent'],
    [{ run_cost_usd: 0.61, budget_usd: 0 }, 'Budget exceeded: $0.61 spent'],
    [{ run_cost_usd: 0, budget_usd: 0.5 }, 'Budget exceeded'],
  ])('tells what an exceeded budget was, where that is known (%#)', (spending, message) => {
    const type = 'budget_exceeded';
    const data = exceededBudgetData(spending, '"no more money"');
    expect(threadEventLogEntry(event({ type, data }))?.message).toBe(message);
    const cut = { data: data.slice(0, -5), cut_length: data.length };
    expect(threadEventLogEntry(event({ type, ...cut }))?.message).toBe(message);
    const fromEarlierVersion = { ...spending, data: null };
    expect(threadEventLogEntry(event({ type, ...fromEarlierVersion }))?.message).toBe(message);
  });

  it('shows other reported events with their data', () => {
    const warning = event({ kind: 'log', type: 'budget_warning', data: '{"run_cost_usd":0.4,"budget_usd":0.5}' });
    expect(threadEventLogEntry(warning)).toMatchObject({
      level: 'warn',
      message: 'Budget warning: $0.40 of $0.50 spent',
    });
  });

  it.each([
    ['a run that goes on or ends well', { type: 'completed' }],
    ['a failure told again after a restart', { step_index: null }],
    ['an approval', { kind: 'approval', type: 'approved', data: '{}' }],
  ] as const)('is none for %s', (_, change) => {
    expect(threadEventLogEntry(event(change))).toBeNull();
  });
});
