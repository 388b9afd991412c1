import { Database } from '../../../src/database/database.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { latestOf, runStatusOf } from '../../support/recording.js';
import { TelegramWorld } from '../../support/telegram-world.js';
import { waitFor } from '../../support/wait.js';

const PARTS = ['channel_agent', 'channel_message', 'channel_session', 'channel_chat', 'channel_code_try'];
const REFUND = { name: 'issue_refund', args: { order: 4711 } };
const ADA = 1;

let world: TelegramWorld;
let server: InProcessApp;

beforeEach(async () => {
  world = await TelegramWorld.start();
  server = await startApp({ env: world.env });
  await world.connect(server.api);
});
afterEach(async () => {
  await server?.stop();
  await world?.close();
});

/** Rows that refer to the channel. */
async function leftOf(channelId: string): Promise<number> {
  const database = server.app.get(Database, { strict: false });
  const counts = PARTS.map((table) =>
    database.read<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table} WHERE channel_id = $1`, [channelId]),
  );
  return (await Promise.all(counts)).reduce((sum, [row]) => sum + Number(row!.n), 0);
}

async function deleteChannel(): Promise<string> {
  expect((await server.api.delete(world.path())).status).toBe(204);
  return world.channelId;
}

/** Once another channel has replied, everything that was in progress when this one was deleted has been handled. */
async function expectQuiet(deletedId: string): Promise<void> {
  const sent = world.telegram.messages.length;
  world.agent.script = (run, agent) => agent.answer(run, `You said: ${run.message}`);
  await world.connect(server.api);
  world.telegram.write(99, 'still there?');
  await waitFor('the other answer', () => world.sentTo(99).length === 1);
  expect(world.telegram.messages).toHaveLength(sent + 1);
  expect(await leftOf(deletedId)).toBe(0);
}

describe('A channel that is deleted while a run is going', () => {
  it('leaves the run and its thread alone, sends nothing any more, and starts nothing that waited', async () => {
    let end!: () => void;
    const ended = new Promise<void>((resolve) => (end = resolve));
    let hasStarted = false;
    world.agent.script = async (run, agent) => {
      await agent.report({ type: 'thread_started', data: idsOf(run) });
      hasStarted = true;
      await ended;
      await agent.answer(run, 'Too late.');
    };
    world.telegram.write(ADA, 'first');
    world.telegram.write(ADA, 'second');
    await waitFor('both to be stored', () => world.telegram.pending === 0);
    await waitFor('the run', () => hasStarted);
    const deletedId = await deleteChannel();
    const { threadId } = world.agent.runs[0]!;
    end();
    await waitFor('the end of the run', async () => (await runStatusOf(server.api, threadId)) === 'completed');
    await expectQuiet(deletedId);
    expect((await latestOf(server.api, threadId)).history.at(-1)).toEqual({ role: 'assistant', content: 'Too late.' });
    expect(world.agent.runs.map(({ message }) => message)).toEqual(['first', 'still there?']);
  });

  it('leaves a question open that somebody may still decide elsewhere', async () => {
    world.agent.script = (run, agent) => agent.report(...waiting(run));
    world.telegram.write(ADA, 'refund me');
    await waitFor('the question', () => world.sentTo(ADA).length === 1);
    const deletedId = await deleteChannel();
    const { runId, threadId } = world.agent.runs[0]!;
    expect((await server.api.post(`/approvals/${runId}/0/approve`)).status).toBe(200);
    expect((await latestOf(server.api, threadId)).status).toBe('approved');
    await expectQuiet(deletedId);
  });

  it('leaves no row behind, whatever was being written for it', async () => {
    for (let round = 0; round < 8; round++) {
      world.agent.script = (run, agent) => {
        const isAsking = Number(run.context.user_id) % 2 === 0;
        return isAsking ? agent.report(...waiting(run)) : agent.answer(run, 'Hello!');
      };
      const before = world.agent.runs.length;
      for (let person = 10; person < 26; person++) world.telegram.write(person, `round ${round}`);
      await waitFor('some runs', () => world.agent.runs.length > before + 2 * round);
      const deletedId = await deleteChannel();
      world.telegram.drop();
      await expectQuietLanes();
      expect(await leftOf(deletedId)).toBe(0);
      await world.connect(server.api);
    }
  });
});

/** Nothing is leased, so nothing is in progress. */
async function expectQuietLanes(): Promise<void> {
  const database = server.app.get(Database, { strict: false });
  await waitFor('all lanes to be given back', async () => {
    const rows = await database.read(
      `SELECT 1 AS held FROM channel_session WHERE lease_owner IS NOT NULL
       UNION ALL SELECT 1 FROM channel_chat WHERE lease_owner IS NOT NULL`,
    );
    return rows.length === 0;
  });
}

function idsOf({ threadId, runId }: { threadId: string; runId: string }) {
  return { thread_id: threadId, trace_id: runId, agent_id: 'support' };
}

function waiting(run: { threadId: string; runId: string }) {
  const data = { ...idsOf(run), step_index: 0, status: 'waiting_for_approval', pending_tool_calls: [REFUND] };
  return [
    { type: 'thread_started', data: idsOf(run) },
    { type: 'checkpoint', data },
  ];
}
