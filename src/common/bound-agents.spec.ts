import { speaksFor } from './bound-agents.js';

describe('A token that is bound to agents', () => {
  it.each([
    ['speaks for its agent', ['refunder'], 'refunder', true],
    ['speaks for the sub-agents of its agent', ['refunder'], 'refunder:lookup', true],
    ['speaks for their sub-agents, too', ['refunder'], 'refunder:lookup:cache', true],
    ['speaks for each of its agents', ['refunder', 'mailer'], 'mailer:smtp', true],
    ['does not speak for the caller of a sub-agent', ['refunder:lookup'], 'refunder', false],
    ['does not speak for an agent whose name only begins alike', ['refund'], 'refunder', false],
    ['takes no letter for another', ['refunder'], 'REFUNDER:lookup', false],
    ['speaks for nobody without agents', [], 'refunder', false],
  ])('%s', (_, agentIds, agentId, isAllowed) => {
    expect(speaksFor(agentIds, agentId)).toBe(isAllowed);
  });
});
