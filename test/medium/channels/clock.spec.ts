import { Database } from '../../../src/database/database.js';
import { TelegramFake } from '../../fakes/platforms/telegram-fake.js';
import { createReadyChannel, newBotToken, telegramOrder } from '../../support/channels.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { withLocked } from '../../support/locked-rows.js';
import { MovableClock } from '../../support/movable-clock.js';
import { changeStored, freshStorage } from '../../support/storage.js';
import { TelegramWorld } from '../../support/telegram-world.js';
import { waitFor } from '../../support/wait.js';

const ADA = 42;
const GRACE = 43;
const HOPPER = 44;
const HOUR_MS = 3_600_000;

const clock = new MovableClock();
let world: TelegramWorld;
let server: InProcessApp;

beforeAll(async () => {
  world = await TelegramWorld.start();
  server = await startApp({ env: world.env, clock });
  await world.connect(server.api);
});
afterAll(async () => {
  await server?.stop();
  await world?.close();
});

/** Whether a conversation, or what is sent to a chat, waits for a time to be looked at. */
async function isWaiting({ app }: InProcessApp, table: 'channel_session' | 'channel_chat'): Promise<boolean> {
  const sql = `SELECT 1 AS waiting FROM ${table} WHERE lease_owner IS NULL AND work_at > $1`;
  const rows = await app.get(Database).read(sql, [clock.nowMs()]);
  return rows.length > 0;
}

describe('A machine that was asleep for two hours', () => {
  it('does not take that for two hours in which a run made no progress', async () => {
    let answer = (): void => undefined;
    world.agent.script = async (run, agent) => {
      await new Promise<void>((resolve) => (answer = resolve));
      await agent.answer(run, 'Good morning.');
    };
    world.telegram.write(HOPPER, 'think about it');
    const log = () => world.log(server.api);
    await waitFor('the run', async () =>
      (await log()).some(({ status, text }) => status === 'started' && text === 'think about it'),
    );
    clock.aheadMs += 2 * HOUR_MS;
    await waitFor('a look at the chat', () => isWaiting(server, 'channel_session'));
    answer();
    await waitFor('the answer', () => world.sentTo(HOPPER).length > 0);
    expect(world.sentTo(HOPPER)[0]).toBe('Good morning.');
    world.agent.script = (run, agent) => agent.answer(run, `You said: ${run.message}`);
  });
});

describe('A clock that is set back by an hour', () => {
  const answered = (chatId: number, texts: readonly string[]) => {
    const wanted = texts.map((text) => `You said: ${text}`).join();
    return waitFor('the answers', () => world.sentTo(chatId).join() === wanted);
  };

  it('keeps no answer back that waits for the pace of its chat', async () => {
    world.telegram.write(ADA, 'one');
    world.telegram.write(ADA, 'two');
    await answered(ADA, ['one']);
    clock.aheadMs -= HOUR_MS;
    await answered(ADA, ['one', 'two']);
    world.telegram.write(ADA, 'three');
    await answered(ADA, ['one', 'two', 'three']);
  });

  it('keeps no message back that waits for its agent', async () => {
    world.agent.mishaps.push(503, 503);
    world.telegram.write(GRACE, 'anybody there?');
    await waitFor('a try', () => world.agent.calls.some(({ message }) => message === 'anybody there?'));
    clock.aheadMs -= HOUR_MS;
    await waitFor('the answer', () => world.sentTo(GRACE).at(-1) === 'You said: anybody there?');
  });

  it('keeps no bot unpolled whose poller died before', async () => {
    const polled = await TelegramWorld.start();
    const env = { ...polled.env, WAYSTATION_LEASE_SECONDS: '2', WAYSTATION_PLATFORM_TIMEOUT_MS: '1000' };
    const alone = await startApp({ env, clock });
    try {
      await polled.connect(alone.api, { transport: 'polling' });
      await alone.app.get(Database).transaction((session) =>
        // As left behind by an instance that was killed.
        session.query(`UPDATE channel SET poll_owner = 'killed', poll_lease_until = $1`, [clock.nowMs() + 5000]),
      );
      await waitFor('the end of its last question', () => !polled.telegram.isPolled);
      clock.aheadMs -= HOUR_MS;
      polled.telegram.write(ADA, 'hello');
      await waitFor('the answer', () => polled.sentTo(ADA).length > 0, 40_000);
    } finally {
      await alone.stop();
      await polled.close();
    }
  }, 60_000);
});

describe('A server that starts after the clock was set back', () => {
  it('keeps no answer back that waited when it ended', async () => {
    const chats = await TelegramWorld.start();
    const storage = await freshStorage();
    const start = () => startApp({ env: chats.env, clock, storage });
    let running = await start();
    try {
      await chats.connect(running.api);
      chats.telegram.failNext('sendMessage', TelegramFake.error(429, 'Too Many Requests', { retry_after: 2 }));
      chats.telegram.write(ADA, 'hello');
      await waitFor('a try', () => chats.telegram.requests.some(({ path }) => path.endsWith('/sendMessage')));
      await waitFor('the pause that Telegram asks for', () => isWaiting(running, 'channel_chat'));
      await running.stop();
      clock.aheadMs -= HOUR_MS;
      running = await start();
      await waitFor('the answer', () => chats.sentTo(ADA).length > 0, 10_000);
    } finally {
      await running.stop();
      await chats.close();
      await storage.dispose();
    }
  });

  it('is held up by no chat that another session has locked, and comes back to that', async () => {
    const chats = await TelegramWorld.start();
    const storage = await freshStorage();
    const start = () => startApp({ env: chats.env, clock, storage });
    let running = await start();
    try {
      await chats.connect(running.api);
      chats.telegram.failNext('sendMessage', TelegramFake.error(429, 'Too Many Requests', { retry_after: 2 }));
      chats.telegram.write(GRACE, 'hello');
      await waitFor('the pause that Telegram asks for', () => isWaiting(running, 'channel_chat'));
      await running.stop();
      clock.aheadMs -= HOUR_MS;
      await withLocked(storage, `channel_chat WHERE chat_id = '${GRACE}'`, async () => {
        running = await start();
        chats.agent.api = running.api;
        await chats.setWebhook(running.api);
        chats.telegram.write(ADA, 'hello');
        await waitFor('the answer to another chat', () => chats.sentTo(ADA).length > 0, 5_000);
      });
      await waitFor('the answer', () => chats.sentTo(GRACE).length > 0, 15_000);
    } finally {
      await running.stop();
      await chats.close();
      await storage.dispose();
    }
  });

  it('polls the other bots while another session has the rows of some locked', async () => {
    const free = await TelegramWorld.start();
    const storage = await freshStorage();
    const start = () => startApp({ env: free.env, clock, storage });
    let running = await start();
    try {
      const polled = { bot_token: newBotToken(), transport: 'polling' };
      const held = await createReadyChannel(running.api, telegramOrder({ config: polled }));
      await createReadyChannel(running.api, telegramOrder({ config: { ...polled, bot_token: newBotToken() } }));
      await free.connect(running.api, { transport: 'polling' });
      await running.stop();
      const later = `UPDATE channel SET poll_owner = 'killed', poll_lease_until = 9000000000000`;
      await changeStored(storage, `${later} WHERE id = '${held.id}'`);
      await withLocked(storage, `channel WHERE id <> '${free.channelId}'`, async () => {
        running = await start();
        free.agent.api = running.api;
        free.telegram.write(ADA, 'hello');
        await waitFor('the answer', () => free.sentTo(ADA).length > 0, 16_000);
      });
    } finally {
      await running.stop();
      await free.close();
      await storage.dispose();
    }
  }, 60_000);
});
