import { checkpoint } from '../../factories/events.js';
import type { ApiClient } from '../../support/api-client.js';
import { approvalsOf } from '../../support/approvals.js';
import { askingScript } from '../../support/asking-script.js';
import { problemOf } from '../../support/problem.js';
import { EVENTS, latestPath } from '../../support/recording.js';
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
