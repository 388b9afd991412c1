import { jest } from '@jest/globals';
import { Database } from '../../../src/database/database.js';
import { SessionLanes } from '../../../src/modules/channels/conversations/dispatch/session-lanes.js';
import { ChatLanes } from '../../../src/modules/channels/conversations/outbox/chat-lanes.js';
import { FakeAgent } from '../../fakes/fake-agent.js';
import type { TelegramFake } from '../../fakes/platforms/telegram-fake.js';
import { createReadyChannel, setUpWebhook } from '../../support/channels.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { ok } from '../../support/recording.js';
import { TelegramHub } from '../../support/telegram-hub.js';
import { waitFor } from '../../support/wait.js';

const CHANNELS = 4;
/** Twice the number of places. */
const CHATS = 256;
/** As many as are handled at once, plus some that follow before the others are seen. */
const AHEAD = 160;

let hub: TelegramHub;
let server: InProcessApp;
let database: Database;
let agent: FakeAgent;

beforeAll(async () => {
  hub = await TelegramHub.start(CHANNELS);
  agent = await FakeAgent.start('support', () => undefined);
  server = await startApp({ env: { WAYSTATION_TELEGRAM_API_URL: hub.url } });
  database = server.app.get(Database);
  agent.api = server.api;
  await agent.beat();
  for (const [i, bot] of hub.bots.entries()) {
    const order = { channel_type: 'telegram', name: `Bot ${i}`, config: { bot_token: bot.token } };
    const channel = await createReadyChannel(server.api, order, 'support');
    ok(await setUpWebhook(server.api, channel.id, server.api.baseUrl));
  }
});
afterEach(() => jest.restoreAllMocks());
afterAll(async () => {
  await hub?.close();
  await agent?.close();
  await server?.stop();
});

async function write(bot: TelegramFake, chats: number, text: string): Promise<void> {
  for (let chat = 1; chat <= chats; chat++) bot.write(chat, text);
  await waitFor('all to be delivered', () => bot.pending === 0);
}

describe('A channel with many chats that all have work', () => {
  it('leaves the others their turns, though its messages came first', async () => {
    const pause = jest.spyOn(server.app.get(SessionLanes), 'peek').mockResolvedValue([]);
    const [busy, ...others] = hub.bots as [TelegramFake, ...TelegramFake[]];
    await write(busy, CHATS, 'of many');
    for (const bot of others) await write(bot, 1, 'of one');
    pause.mockRestore();
    const isOfOne = ({ message }: { message: string }) => message === 'of one';
    await waitFor('the others', () => agent.calls.filter(isOfOne).length === others.length);
    expect(agent.calls.findLastIndex(isOfOne)).toBeLessThan(AHEAD);
    await waitFor('the many', () => agent.calls.length === CHATS + others.length);
  });

  it('has all places when nobody else wants any', async () => {
    const lanes = server.app.get(ChatLanes);
    const [first] = await database.read<{ channel_id: string }>(
      `SELECT channel_id FROM channel_chat GROUP BY channel_id HAVING COUNT(*) > 1`,
      [],
    );
    const claim = lanes.claim.bind(lanes);
    const taken: number[] = [];
    jest.spyOn(lanes, 'claim').mockImplementation(async (...args) => {
      const claimed = await claim(...args);
      taken.push(claimed.length);
      return claimed;
    });
    await database.transaction((session) =>
      session.query('UPDATE channel_chat SET work_at = 1 WHERE channel_id = $1', [first!.channel_id]),
    );
    await waitFor('all its chats', () => taken.reduce((sum, count) => sum + count, 0) >= CHATS);
    expect(Math.max(...taken)).toBe(128);
  });
});
