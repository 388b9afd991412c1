import { newThreadId } from '../../factories/events.js';
import { buildAdapter, runProgram, typeFaultsOf } from '../../support/clients/adapter-run.js';
import { describeWithClient } from '../../support/clients/installed-client.js';
import { useServer } from '../../support/test-server.js';

const EACH = 5_000;
const NAMES = ['ada', 'bob'];

describeWithClient('claude-sessions', 'A session store of the Claude Agent SDK', (client) => {
  const server = useServer();
  beforeAll(() => buildAdapter('claude-sessions', client));

  it('has the types of the SDK', () => {
    expect(typeFaultsOf(client)).toBe('');
  });

  it('keeps the contracts of the SDK', async () => {
    expect(await runProgram(client, server, ['test/conformance.mjs'])).toHaveLength(14);
  });

  it('lets a session go on in another process', async () => {
    const session = newThreadId('session');
    const say = (text: string) => runProgram(client, server, ['examples/resume.mjs', session, text]);
    expect(await say('I am Ada.')).toEqual(['1 messages; the first was: I am Ada.']);
    expect(await say('Who am I?')).toEqual(['2 messages; the first was: I am Ada.']);
  });

  it('loses nothing, stores nothing twice and keeps the order when two processes append', async () => {
    const session = newThreadId('session');
    const adders = NAMES.map((name) =>
      runProgram(client, server, ['test/adder.mjs', session, name, String(EACH), '50']),
    );
    await Promise.all(adders);
    const path = `/v1/runners/threads/claude:race:${session}/latest?trace_id=transcript`;
    const { history } = (await server.api.get(path)).json<{ history: { uuid: string }[] }>();
    const uuids = history.map(({ uuid }) => uuid);
    expect(uuids).toHaveLength(NAMES.length * EACH);
    for (const name of NAMES) {
      const own = uuids.filter((uuid) => uuid.startsWith(name));
      expect(own).toEqual(Array.from({ length: EACH }, (_, n) => `${name} ${n}`));
    }
  });
});
