import { newThreadId } from '../../factories/events.js';
import { approvalPath, approvalsOf, decide, decided, type Approval } from '../../support/approvals.js';
import {
  buildAdapter,
  runProgram,
  startProgram,
  typeFaultsOf,
  type StartedProgram,
} from '../../support/clients/adapter-run.js';
import { describeWithClient } from '../../support/clients/installed-client.js';
import { firstAsked } from '../../support/clients/refund-agents.js';
import { ok } from '../../support/recording.js';
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

  describe('canUseTool', () => {
    const BASH = { name: 'Bash', input: { command: 'npm publish' } };
    const start = (session: string, calls: object[], env: Record<string, string> = {}) =>
      startProgram(client, server, ['test/ask.mjs', session, JSON.stringify(calls)], env);
    const asked = (session: string, sdk: StartedProgram) => firstAsked(server, `claude:${session}`, sdk);
    const answer = (verb: 'approve' | 'reject', { trace_id: traceId, step }: Approval, body: object = {}) =>
      decided(server.api, verb, { traceId }, step, body);

    it('tells the SDK what people decide about each call', async () => {
      const session = newThreadId('session');
      const sdk = start(session, [BASH, BASH, BASH]);
      const first = await asked(session, sdk);
      expect([first.agent_id, first.tool_calls[0]]).toMatchObject(['claude-code', { name: 'Bash', args: BASH.input }]);
      await answer('approve', first);
      const changed = { decisions: [{ index: 0, decision: 'approve', args: { command: 'npm pack' } }] };
      await answer('approve', await asked(session, sdk), changed);
      await answer('reject', await asked(session, sdk), { reason: 'Not on a Friday.' });
      expect((await sdk.ended()).map((line) => JSON.parse(line) as unknown)).toMatchObject([
        { behavior: 'allow', updatedInput: BASH.input },
        { behavior: 'allow', updatedInput: { command: 'npm pack' } },
        { behavior: 'deny', message: 'Not on a Friday.' },
      ]);
    });

    it('brings the SDK what people answer to its questions, and why they decline', async () => {
      const [which, more] = ['Which one?', 'And which of these?'];
      const questions = [
        { question: which, header: 'Pick', options: [{ label: 'A' }, { label: 'B' }], multiSelect: false },
        { question: more, header: 'More', options: [{ label: 'C' }, { label: 'D' }], multiSelect: true },
      ];
      const ask = (...some: object[]) => ({ name: 'AskUserQuestion', input: { questions: some } });
      const session = newThreadId('session');
      // With two equal texts, it would be unclear which one an answer is for.
      const sdk = start(session, [ask(...questions), ask(questions[0]!), ask(questions[0]!, questions[0]!)]);
      const first = await asked(session, sdk);
      expect([first.kind, first.tool_calls[0]]).toMatchObject(['question', { name: 'AskUserQuestion' }]);
      expect((await decide(server.api, 'approve', { traceId: first.trace_id }, first.step)).status).toBe(409);
      const answers = [{ index: 0, values: { q0: 'B', q1: ['C', 'my own'] } }];
      ok(await server.api.post(approvalPath(first.trace_id, first.step, '/answer'), { answers }));
      await answer('reject', await asked(session, sdk), { reason: 'Decide yourself.' });
      expect((await sdk.ended()).map((line) => JSON.parse(line) as unknown)).toMatchObject([
        { behavior: 'allow', updatedInput: { questions, answers: { [which]: 'B', [more]: 'C, my own' } } },
        { behavior: 'deny', message: 'Decide yourself.' },
        { behavior: 'deny', message: 'No person has decided about it.' },
      ]);
      expect(await approvalsOf(server.api, `claude:${session}`, { status: 'all' })).toHaveLength(2);
    });

    it('denies what nobody answers in time', async () => {
      const session = newThreadId('session');
      const question = { question: 'Which one?', header: 'Pick', options: [{ label: 'A' }, { label: 'B' }] };
      const calls = [{ name: 'AskUserQuestion', input: { questions: [question] } }, BASH];
      const told = await start(session, calls, { WAYSTATION_TEST_TIMEOUT_SECONDS: '1' }).ended();
      const denied = { behavior: 'deny', message: 'No person has decided about it.' };
      expect(told.map((line) => JSON.parse(line) as unknown)).toMatchObject([denied, denied]);
      const approvals = await approvalsOf(server.api, `claude:${session}`, { status: 'all' });
      expect(approvals.map(({ status }) => status)).toEqual(['expired', 'expired']);
    });

    it('asks nobody again where another process asks about the same call', async () => {
      const session = newThreadId('session');
      const killed = start(session, [BASH]);
      const approval = await asked(session, killed);
      await killed.kill();
      await answer('approve', approval);
      const [told] = await start(session, [BASH]).ended();
      expect(JSON.parse(told!)).toMatchObject({ behavior: 'allow', updatedInput: BASH.input });
      expect(await approvalsOf(server.api, `claude:${session}`, { status: 'all' })).toHaveLength(1);
    });
  });
});
