import { checkpoint } from '../../factories/events.js';
import { FAILS, type Invocation, type RunScript } from '../../fakes/fake-agent.js';
import type { ApiClient } from '../../support/api-client.js';
import { approvalsOf, decided } from '../../support/approvals.js';
import { askingScript } from '../../support/asking-script.js';
import { problemOf } from '../../support/problem.js';
import { EVENTS, latestPath, threadPath } from '../../support/recording.js';
import { ServerProcess } from '../../support/server-process.js';
import { freshStorage, type TestStorage } from '../../support/storage.js';
import { TelegramWorld } from '../../support/telegram-world.js';
import { waitFor } from '../../support/wait.js';

const [BOSS, PERSON] = [7, 900];
const REFUND = { name: 'issue_refund', args: { order: 4711 } };

let world: TelegramWorld;
let storage: TestStorage;
let server: ServerProcess;

beforeAll(async () => {
  world = await TelegramWorld.start(askingScript(REFUND));
  storage = await freshStorage();
  server = await ServerProcess.start(storage, { env: world.env });
  await world.connect(server.api, { approvers: [String(BOSS)] });
});
afterAll(async () => {
  await server?.stop();
  await world?.close();
  await storage?.dispose();
});

async function bound(agentId: string): Promise<ApiClient> {
  const made = await server.api.post('/v1/tokens', { scope: 'runner', agent_ids: [agentId] });
  return server.api.as(made.json<{ token: string }>().token);
}

describe('A conversation', () => {
  it('is for its agent, whose token may be bound to it; a stranger has nothing asked there', async () => {
    world.agent.api = await bound('support');
    world.telegram.write(PERSON, 'refund me');
    const shown = await waitFor('the question', () =>
      world.telegram.messages.find(({ chatId, buttons }) => chatId === String(PERSON) && buttons.length === 2),
    );
    const { threadId } = world.agent.runs[0]!;
    const stranger = await bound('evil');
    for (const trace_id of ['x', world.agent.runs[0]!.runId]) {
      const calls = [{ name: 'wipe_disk', arguments: '{}' }];
      const waiting = { trace_id, agent_id: 'evil', status: 'waiting_for_approval', pending_tool_calls: calls };
      problemOf(await stranger.post(EVENTS, { events: [checkpoint(threadId, 0, waiting)] }), 400);
      problemOf(await stranger.get(latestPath(threadId, { trace_id })), 404);
    }
    expect(await approvalsOf(server.api, threadId)).toMatchObject([{ agent_id: 'support' }]);
    world.telegram.press(BOSS, shown.messageId, 'Approve');
    await waitFor('the answer', () => world.sentTo(PERSON).includes('It was approved.'));
    expect(world.sentTo(PERSON).join()).not.toContain('wipe_disk');
  });
});

describe('A message in a chat whose run is retried', () => {
  const ECHO: RunScript = (run, agent) => agent.answer(run, `You said: ${run.message}`);
  const SORRY = 'Sorry, the agent ended with an error.';
  const retry = ({ threadId, runId }: Invocation) => server.api.post(threadPath(threadId, `/runs/${runId}/retry`));

  const answered = (count: number) => waitFor('the answers', () => world.sentTo(person).length >= count);
  const runsOf = (user: number) => world.agent.runs.filter(({ context }) => context.user_id === String(user));
  let person = PERSON;

  beforeEach(() => {
    person += 1;
  });

  async function failed(): Promise<Invocation> {
    world.agent.script = FAILS;
    world.telegram.write(person, 'refund me');
    await answered(1);
    return runsOf(person)[0]!;
  }

  it('gets its question and answer in the chat, and the next message waits for that', async () => {
    const run = await failed();
    const asks = askingScript({ name: 'issue_refund', args: {} });
    world.agent.script = (one, agent) => (one.message === 'next' ? ECHO(one, agent) : asks(one, agent));
    expect((await retry(run)).status).toBe(202);
    world.telegram.write(person, 'next');
    await waitFor('the question', () => world.sentTo(person).some((text) => text.includes('issue_refund')));
    expect(runsOf(person)).toHaveLength(1);
    await decided(server.api, 'approve', { traceId: run.runId }, 0, { decided_by: 'Grace' });
    await answered(4);
    const [, question, ...answers] = world.sentTo(person);
    await waitFor('the outcome', () => world.sentTo(person)[1]!.includes('Approved by Grace'));
    expect([question, ...answers]).toEqual([
      expect.stringContaining('issue_refund'),
      'It was approved.',
      'You said: next',
    ]);
  });

  it('gets each new answer, but not while another message has its turn, nor does a refused retry hold up anybody', async () => {
    const run = await failed();
    world.agent.mishaps.push(409);
    expect((await retry(run)).json()).toMatchObject({ status: 409, code: 'agent_refused' });
    let end = (): void => undefined;
    world.agent.script = async (one, agent) => {
      await new Promise<void>((resolve) => (end = resolve));
      await ECHO(one, agent);
    };
    world.telegram.write(person, 'next');
    await waitFor('its run', () => runsOf(person).length === 2);
    expect((await retry(run)).json()).toMatchObject({ status: 409, code: 'chat_busy' });
    end();
    await answered(2);
    for (const answer of ['second try', 'third try']) {
      world.agent.script = (one, agent) => agent.answer(one, answer);
      await waitFor('the retry to be taken', async () => (await retry(run)).status === 202);
      await waitFor('its answer', () => world.sentTo(person).includes(answer));
    }
    expect(world.sentTo(person)).toEqual([SORRY, 'You said: next', 'second try', 'third try']);
  });
});
