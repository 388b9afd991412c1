import { bind, channelOf, CHANNELS, createChannel, telegramOrder } from '../../support/channels.js';
import { problemOf } from '../../support/problem.js';
import { useSharedServer } from '../../support/shared-server.js';

const server = useSharedServer();

async function newChannel(): Promise<string> {
  return (await createChannel(server.api, telegramOrder())).id;
}

function unbind(id: string, name: string) {
  return server.api.delete(`${CHANNELS}/${id}/agents/${encodeURIComponent(name)}`);
}

/** Name, default and command of each agent: `support* /help`. */
async function agentsOf(id: string): Promise<string[]> {
  const { agents } = await channelOf(server.api, id);
  return agents.map(({ agent_name, is_default, command }) =>
    `${agent_name}${is_default ? '*' : ''} ${command ?? ''}`.trim(),
  );
}

describe('Agents of a channel', () => {
  it('are bound, the first as the default', async () => {
    const id = await newChannel();
    const first = await bind(server.api, id, { agent_name: 'support', is_default: false });
    expect([first.status, first.json()]).toEqual([201, { agent_name: 'support', is_default: true, command: null }]);
    await bind(server.api, id, { agent_name: 'researcher', command: 'Research' });
    expect(await agentsOf(id)).toEqual(['support*', 'researcher /research']);
  });

  it('have one default: a new one takes the place of the old', async () => {
    const id = await newChannel();
    for (const agent_name of ['a', 'b', 'c'])
      await bind(server.api, id, { agent_name, is_default: agent_name !== 'b' });
    expect(await agentsOf(id)).toEqual(['a', 'b', 'c*']);
  });

  it('are unbound; the oldest that is left takes the place of a default', async () => {
    const id = await newChannel();
    for (const agent_name of ['a', 'b/ä c', 'c']) await bind(server.api, id, { agent_name });
    expect((await unbind(id, 'a')).status).toBe(204);
    expect(await agentsOf(id)).toEqual(['b/ä c*', 'c']);
    expect((await unbind(id, 'b/ä c')).status).toBe(204);
    expect((await unbind(id, 'c')).status).toBe(204);
    expect(problemOf(await unbind(id, 'c'), 404).code).toBe('binding_not_found');
    expect(await agentsOf(id)).toEqual([]);
  });

  it('are bound once, and have commands of their own', async () => {
    const id = await newChannel();
    await bind(server.api, id, { agent_name: 'a', command: '/go' });
    expect(problemOf(await bind(server.api, id, { agent_name: 'a' }), 409).code).toBe('agent_bound');
    expect(problemOf(await bind(server.api, id, { agent_name: 'b', command: 'GO' }), 409).code).toBe('command_taken');
    await bind(server.api, id, { agent_name: 'b', command: null, is_default: null });
    expect(await agentsOf(id)).toEqual(['a* /go', 'b']);
    const other = await newChannel();
    expect((await bind(server.api, other, { agent_name: 'a', command: '/go' })).status).toBe(201);
  });

  it('of racing bindings exactly one wins an agent, one a command and one the default', async () => {
    const id = await newChannel();
    const same = await Promise.all(Array.from({ length: 8 }, () => bind(server.api, id, { agent_name: 'same' })));
    expect(same.filter(({ status }) => status === 201)).toHaveLength(1);
    const names = Array.from({ length: 8 }, (_, i) => `racer-${i}`);
    const order = { command: '/race', is_default: true };
    const racing = await Promise.all(names.map((agent_name) => bind(server.api, id, { agent_name, ...order })));
    expect(racing.filter(({ status }) => status === 201)).toHaveLength(1);
    await Promise.all(names.map((name) => bind(server.api, id, { agent_name: `${name}b`, is_default: true })));
    expect((await agentsOf(id)).filter((agent) => agent.includes('*'))).toHaveLength(1);
  });

  it.each([
    ['agent_name', {}],
    ['agent_name', { agent_name: null }],
    ['agent_name', { agent_name: '' }],
    ['agent_name', { agent_name: '.' }],
    ['agent_name', { agent_name: '..' }],
    ['agent_name', { agent_name: 'a\nb' }],
    ['agent_name', { agent_name: 'a\u0000b' }],
    ['agent_name', { agent_name: 'x'.repeat(513) }],
    ['agent_name', { agent_name: 'a\ud800' }],
    ['agent_name', { agent_name: ['a'] }],
    ['is_default', { agent_name: 'a', is_default: 'yes' }],
    ['is_default', { agent_name: 'a', is_default: 1 }],
    ['command', { agent_name: 'a', command: '' }],
    ['command', { agent_name: 'a', command: '/' }],
    ['command', { agent_name: 'a', command: 'two words' }],
    ['command', { agent_name: 'a', command: '//x' }],
    ['command', { agent_name: 'a', command: 'x'.repeat(65) }],
    ['command', { agent_name: 'a', command: 'a\udc00' }],
    ['command', { agent_name: 'a', command: 7 }],
    ['role', { agent_name: 'a', role: 'boss' }],
    ['toOrder', { agent_name: 'a', toOrder: 1 }],
  ])('are refused with a bad %s (%#)', async (name, body) => {
    const id = await newChannel();
    const problem = problemOf(await bind(server.api, id, body), 400);
    expect(problem.errors?.map(({ path }) => path)).toContain(name);
    expect(await agentsOf(id)).toEqual([]);
  });
});
