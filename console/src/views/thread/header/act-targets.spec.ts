import type { ThreadRun } from '../data/thread-queries.js';
import { reachableAgents, runToCancel, runToRetry, whyUnreachable, type Agent } from './act-targets.js';

const run = (trace_id: string, status: string) => ({ trace_id, status }) as ThreadRun;
const agent = (agent_id: string, fields: Partial<Agent> = {}) =>
  ({ agent_id, online: true, endpoint: 'http://127.0.0.1:9100', ...fields }) as Agent;

describe('The acts on a thread', () => {
  it('cancel the selected run, or another one that is open', () => {
    const [ended, open, waiting] = [run('a', 'error'), run('b', 'in_progress'), run('c', 'waiting_for_approval')];
    expect(runToCancel([ended, open, waiting], waiting)).toBe(waiting);
    expect(runToCancel([ended, open, waiting], ended)).toBe(open);
    expect(runToCancel([ended], ended)).toBeNull();
  });

  it.each([
    ['completed', true],
    ['idle', true],
    ['in_progress', false],
    ['waiting_for_approval', false],
  ])('retry a run of status %s: %s', (status, can) => expect(runToRetry(run('a', status)) !== null).toBe(can));

  it('say why an agent cannot be started', () => {
    const agents = [agent('here'), agent('away', { online: false }), agent('silent', { endpoint: null })];
    expect(whyUnreachable(agents, 'here')).toBeNull();
    expect(whyUnreachable(agents, 'away')).toBe('The agent away is offline.');
    expect(whyUnreachable(agents, 'silent')).toMatch(/cannot be started from here/);
    expect(whyUnreachable(agents, 'other')).toMatch(/never been online/);
    expect(reachableAgents([agent('x'), ...agents, agent('y')], ['y', 'away'])).toEqual(['y', 'x', 'here']);
  });
});
