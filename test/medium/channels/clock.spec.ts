import { Database } from '../../../src/database/database.js';
import { TelegramFake } from '../../fakes/platforms/telegram-fake.js';
import { createReadyChannel, newBotToken, telegramOrder } from '../../support/channels.js';
import { isWaiting, useChatServer } from '../../support/chat-server.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { withLocked } from '../../support/locked-rows.js';
import { MovableClock } from '../../support/movable-clock.js';
import { changeStored, freshStorage, type TestStorage } from '../../support/storage.js';
import { TelegramWorld } from '../../support/telegram-world.js';
import { waitFor } from '../../support/wait.js';

const ADA = 42;
const GRACE = 43;
const HOPPER = 44;
const HOUR_MS = 3_600_000;

const clock = new MovableClock();
const chats = useChatServer(clock);

describe('A machine that was asleep for two hours', () => {
  it('does not take that for two hours in which a run made no progress', async () => {
    let answer = (): void => undefined;
    chats.world.agent.script = async (run, agent) => {
      await new Promise<void>((resolve) => (answer = resolve));
      await agent.answer(run, 'Good morning.');
    };
    chats.world.telegram.write(HOPPER, 'think about it');
    const log = () => chats.world.log(chats.server.api);
    await waitFor('the run', async () =>
      (await log()).some(({ status, text }) => status === 'started' && text === 'think about it'),
    );
    clock.aheadMs += 2 * HOUR_MS;
    await waitFor('a look at the chat', () => isWaiting(chats.server, 'channel_session', clock));
    answer();
    await waitFor('the answer', () => chats.world.sentTo(HOPPER).length > 0);
    expect(chats.world.sentTo(HOPPER)[0]).toBe('Good morning.');
    chats.world.agent.script = (run, agent) => agent.answer(run, `You said: ${run.message}`);
  });
});

describe('A clock that is set back by an hour', () => {
  const answered = (chatId: number, texts: readonly string[]) => {
    const wanted = texts.map((text) => `You said: ${text}`).join();
    return waitFor('the answers', () => chats.world.sentTo(chatId).join() === wanted);
  };

  it('keeps no answer back that waits for the pace of its chat', async () => {
    chats.world.telegram.write(ADA, 'one');
    chats.world.telegram.write(ADA, 'two');
    await answered(ADA, ['one']);
    clock.aheadMs -= HOUR_MS;
    await answered(ADA, ['one', 'two']);
    chats.world.telegram.write(ADA, 'three');
    await answered(ADA, ['one', 'two', 'three']);
  });

  it('keeps no message back that waits for its agent', async () => {
    chats.world.agent.mishaps.push(503, 503);
    chats.world.telegram.write(GRACE, 'anybody there?');
    await waitFor('a try', () => chats.world.agent.calls.some(({ message }) => message === 'anybody there?'));
    clock.aheadMs -= HOUR_MS;
    await waitFor('the answer', () => chats.world.sentTo(GRACE).at(-1) === 'You said: anybody there?');
  });

  it('keeps no bot unpolled whose poller died before', async () => {
    const polled = await TelegramWorld.start();
    const env = { ...polled.env, WAYSTATION_LEASE_SECONDS: '2', WAYSTATION_PLATFORM_TIMEOUT_MS: '3000' };
    const alone = await startApp({ env, clock });
    try {
      await polled.connect(alone.api, { transport: 'polling' });
      await alone.app.get(Database).transaction((session) =>
        // As a killed instance leaves it.
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
  });
});

/** A server that a test stops and starts on one storage; the agent reports to the latest one. */
class Restarts {
  private running: InProcessApp | null = null;

  constructor(
    private readonly world: TelegramWorld,
    readonly storage: TestStorage,
  ) {}

  get app(): InProcessApp {
    if (this.running === null) throw new Error('The server was stopped.');
    return this.running;
  }

  get api(): InProcessApp['api'] {
    return this.app.api;
  }

  async start(): Promise<void> {
    this.running = await startApp({ env: this.world.env, clock, storage: this.storage });
    this.world.agent.api = this.api;
  }

  async stop(): Promise<void> {
    await this.running?.stop();
    this.running = null;
  }
}

async function withRestarts(work: (world: TelegramWorld, restarts: Restarts) => Promise<void>): Promise<void> {
  const own = await TelegramWorld.start();
  const restarts = new Restarts(own, await freshStorage());
  try {
    await restarts.start();
    await work(own, restarts);
  } finally {
    await restarts.stop();
    await own.close();
    await restarts.storage.dispose();
  }
}

/** The server ends while a reply waits because Telegram asked for a pause; then the clock is set back. */
async function setBackWhilePaused(world: TelegramWorld, restarts: Restarts, chatId: number): Promise<void> {
  const { telegram } = world;
  await world.connect(restarts.api);
  telegram.failNext('sendMessage', TelegramFake.error(429, 'Too Many Requests', { retry_after: 600 }));
  telegram.write(chatId, 'hello');
  await waitFor('a try', () => telegram.requests.some(({ path }) => path.endsWith('/sendMessage')));
  await waitFor('the pause that Telegram asks for', () => isWaiting(restarts.app, 'channel_chat', clock));
  await restarts.stop();
  clock.aheadMs -= HOUR_MS;
}

describe('A server that starts after the clock was set back', () => {
  it('keeps no answer back that waited when it ended', async () => {
    await withRestarts(async (other, restarts) => {
      await setBackWhilePaused(other, restarts, ADA);
      await restarts.start();
      await waitFor('the answer', () => other.sentTo(ADA).length > 0);
    });
  });

  it('is held up by no chat that another session has locked, and comes back to that', async () => {
    await withRestarts(async (other, restarts) => {
      await setBackWhilePaused(other, restarts, GRACE);
      await withLocked(restarts.storage, `channel_chat WHERE chat_id = '${GRACE}'`, async () => {
        await restarts.start();
        await other.setWebhook(restarts.api);
        other.telegram.write(ADA, 'hello');
        await waitFor('the answer to another chat', () => other.sentTo(ADA).length > 0, 9_000);
      });
      await waitFor('the answer', () => other.sentTo(GRACE).length > 0);
    });
  });

  it('polls the other bots while another session has the rows of some locked', async () => {
    await withRestarts(async (free, restarts) => {
      const polled = { bot_token: newBotToken(), transport: 'polling' };
      const held = await createReadyChannel(restarts.api, telegramOrder({ config: polled }));
      await createReadyChannel(restarts.api, telegramOrder({ config: { ...polled, bot_token: newBotToken() } }));
      await free.connect(restarts.api, { transport: 'polling' });
      await restarts.stop();
      const later = `UPDATE channel SET poll_owner = 'killed', poll_lease_until = 9000000000000`;
      await changeStored(restarts.storage, `${later} WHERE id = '${held.id}'`);
      await withLocked(restarts.storage, `channel WHERE id <> '${free.channelId}'`, async () => {
        await restarts.start();
        free.telegram.write(ADA, 'hello');
        await waitFor('the answer', () => free.sentTo(ADA).length > 0, 9_000);
      });
    });
  });
});
