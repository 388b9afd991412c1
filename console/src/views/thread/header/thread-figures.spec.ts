import type { Step } from '../data/steps.js';
import type { ThreadRun } from '../data/thread-queries.js';
import { budgetOf, channelIdOf, stepsText } from './thread-figures.js';

const run = (trace_id: string, fields: Partial<ThreadRun> = {}) =>
  ({ trace_id, parent_trace_id: null, attempts: 1, steps: 5, ...fields }) as ThreadRun;
const step = (trace_id: string, budget_usd: number) => ({ trace_id, budget_usd }) as Step;

describe('The figures of a thread', () => {
  it('add the budgets of the runs that nobody else pays for', () => {
    const runs = [run('a'), run('b'), run('sub', { parent_trace_id: 'a' }), run('lost', { parent_trace_id: 'gone' })];
    const steps = [step('a', 0), step('a', 0.5), step('sub', 9), step('b', 1), step('lost', 2)];
    expect(budgetOf(runs, steps)).toBe(3.5);
    expect(budgetOf([run('a')], [])).toBe(0);
  });

  it.each([
    [[run('a')], '5'],
    [[run('a', { attempts: 2, steps: 1_200 })], '1,200 in 2 attempts'],
    [[run('a'), run('b')], '10 in 2 runs'],
    [[run('a', { attempts: 3 }), run('b')], '10 in 2 runs, 4 attempts'],
  ])('count steps, runs and attempts: %#', (runs, text) => expect(stepsText(runs)).toBe(text));

  it.each([
    ['channel:0b6f:4711:support', '0b6f'],
    ['channel:', null],
    ['order-4711', null],
  ])('find the channel of %s', (id, channel) => expect(channelIdOf(id)).toBe(channel));
});
