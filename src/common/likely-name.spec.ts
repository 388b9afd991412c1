import { closestName } from './likely-name.js';

const KNOWN = ['limit', 'cursor', 'count', 'status', 'agent_id', 'model', 'q', 'since', 'until', 'sort', 'order'];

describe('The name that was probably meant', () => {
  it.each<[string, string | null]>([
    ['agentId', 'agent_id'],
    ['agent-id', 'agent_id'],
    ['agent', 'agent_id'],
    ['agnet_id', 'agent_id'],
    ['statuses', 'status'],
    ['Limit', 'limit'],
    ['limits', 'limit'],
    ['lmit', 'limit'],
    ['untill', 'until'],
    ['oder', 'order'],
    ['page', null],
    ['x', null],
    ['', null],
    ['offset', null],
    ['🦊🦊🦊', null],
    ['x'.repeat(100), null],
  ])('for %j is %j', (given, meant) => {
    expect(closestName(given, KNOWN)).toBe(meant);
  });
});
