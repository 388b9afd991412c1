import { newThreadId } from '../../factories/events.js';
import { decided } from '../../support/approvals.js';
import { buildAdapter, runProgram, startProgram, typeFaultsOf } from '../../support/clients/adapter-run.js';
import { describeWithClient } from '../../support/clients/installed-client.js';
import { firstAsked, itAsksBeforeItRefunds } from '../../support/clients/refund-agents.js';
import { detailOf } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';

const EACH = 5_000;
const NAMES = ['ada', 'bob'];

describeWithClient('openai-agents', 'A session of the OpenAI Agents SDK', (client) => {
  const server = useServer();
  beforeAll(() => buildAdapter('openai-agents', client));

  it('has the types of the SDK', () => {
    expect(typeFaultsOf(client)).toBe('');
  });

  it('does what the sessions of the SDK do', async () => {
    expect(await runProgram(client, server, ['test/sessions.mjs'])).toHaveLength(7);
  });

  it('lets a conversation go on in another process', async () => {
    const session = newThreadId('session');
    const say = (text: string) => runProgram(client, server, ['examples/support.mjs', session, text]);
    expect(await say('I am Ada.')).toEqual(['1 messages; the first was: I am Ada.']);
    expect(await say('Who am I?')).toEqual(['2 messages; the first was: I am Ada.']);
  });

  it('loses nothing, stores nothing twice and keeps the order when two processes add items', async () => {
    const session = newThreadId('session');
    const adders = NAMES.map((name) =>
      runProgram(client, server, ['test/adder.mjs', session, name, String(EACH), '50']),
    );
    await Promise.all(adders);
    const path = `/v1/runners/threads/openai-agents:${session}/latest?trace_id=session`;
    const { history } = (await server.api.get(path)).json<{ history: { content: string }[] }>();
    const contents = history.map(({ content }) => content);
    expect(contents).toHaveLength(NAMES.length * EACH);
    for (const name of NAMES) {
      const own = contents.filter((content) => content.startsWith(name));
      expect(own).toEqual(Array.from({ length: EACH }, (_, n) => `${name} ${n}`));
    }
  });

  describe('runWithApprovals', () => {
    itAsksBeforeItRefunds(client, server);

    it('gives the result again where the process died after its agent was done', async () => {
      const threadId = newThreadId('done');
      const env = { WAYSTATION_AGENT_ID: 'refunds' };
      const killed = startProgram(client, server, ['test/done.mjs', threadId, 'dies'], env);
      const { trace_id: traceId, step } = await firstAsked(server, threadId, killed);
      await decided(server.api, 'approve', { traceId }, step);
      await expect(killed.ended()).rejects.toThrow('SIGKILL');
      expect(killed.lines()).toEqual(['paid']);
      expect(await runProgram(client, server, ['test/done.mjs', threadId], env)).toEqual(['done']);
      expect(await detailOf(server.api, threadId)).toMatchObject({ status: 'completed', agent_id: 'refunds' });
    });
  });
});
