import fc from 'fast-check';
import { eventLogEntry } from './event-log-entry.js';

const source = { ts: '2026-11-20T09:00:00.000Z', agent_id: 'support', trace_id: 'run-1', step_index: 2 };

describe('log entries of events', () => {
  it('carry where they came from', () => {
    expect(eventLogEntry('thread_idle', '{"thread_id":"t","trace_id":"run-1"}', source)).toEqual({
      ...source,
      level: 'info',
      kind: 'event',
      message: 'thread_idle',
    });
  });

  it.each([
    ['budget_warning', '{}', 'warn', 'Budget warning'],
    ['budget_warning', '{"run_cost_usd":0.4}', 'warn', 'Budget warning: $0.40 spent'],
    ['budget_warning', '{"run_cost_usd":0.4,"budget_usd":0.5}', 'warn', 'Budget warning: $0.40 of $0.50 spent'],
    [
      'budget_warning',
      '{"message":"80 percent used","run_cost_usd":0.0042,"budget_usd":1}',
      'warn',
      '80 percent used: $0.0042 of $1.00 spent',
    ],
    [
      'thread_budget_exceeded',
      '{"run_cost_usd":0.51,"budget_usd":0.5}',
      'error',
      'Budget exceeded: $0.51 of $0.50 spent',
    ],
    ['thread_error', '{"error":"connection refused"}', 'error', 'connection refused'],
    [
      'thread_error',
      '{"error":{"type":"TimeoutError","message":"no answer in 30 s"}}',
      'error',
      'TimeoutError: no answer in 30 s',
    ],
    [
      'thread_error',
      '{"error":{"message":"TimeoutError after 30 s","type":"TimeoutError"}}',
      'error',
      'TimeoutError after 30 s',
    ],
    ['thread_error', '{"error":{"exit_code":137}}', 'error', '{"exit_code":137}'],
    ['thread_error', '{"thread_id":"t","message":"killed"}', 'error', 'killed'],
    ['thread_error', '{"thread_id":"t","exit":1}', 'error', '{"exit":1}'],
    ['thread_error', '{"thread_id":"t"}', 'error', 'The run failed'],
    ['thread_error', 'null', 'error', '{"data":null}'],
    [
      'deploy_done',
      '{"trace_id":"run-1","build":12345678901234567890}',
      'info',
      'deploy_done {"build":12345678901234567890}',
    ],
    ['deploy_done', '[1,2]', 'info', 'deploy_done {"data":[1,2]}'],
    ['deploy_done', 'no JSON', 'info', 'deploy_done {"data":"no JSON"}'],
  ])('say what %s with %s means', (type, data, level, message) => {
    expect(eventLogEntry(type, data, source)).toMatchObject({ kind: 'event', level, message });
  });

  it('stay short however much data an unknown event has', () => {
    const data = JSON.stringify({ dump: 'x'.repeat(100_000) });
    expect(eventLogEntry('dump', data, source).message).toHaveLength(4_001);
  });

  it('are made of any JSON value and any text', () => {
    const types = fc.constantFrom('budget_warning', 'thread_error', 'thread_budget_exceeded', 'other');
    const texts = fc.oneof(
      fc.json(),
      fc.string(),
      fc
        .dictionary(fc.constantFrom('error', 'message', 'run_cost_usd', 'budget_usd', 'type'), fc.jsonValue())
        .map((data) => JSON.stringify(data)),
    );
    fc.assert(
      fc.property(types, texts, (type, text) => {
        const entry = eventLogEntry(type, text, source);
        expect(typeof entry.message).toBe('string');
        expect(entry.message).not.toBe('');
      }),
    );
  });
});
