import { FakeAgent } from '../../fakes/fake-agent.js';
import type { TelegramFake } from '../../fakes/platforms/telegram-fake.js';
import { bind, createReadyChannel, setUpWebhook } from '../../support/channels.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { ok } from '../../support/recording.js';
import { TelegramHub } from '../../support/telegram-hub.js';
import { waitFor } from '../../support/wait.js';

const CHANNELS = 12;
/** More than are handled at once; the agent's own keep it busy beyond the server's patience. */
const AGENT_CHATS = 300;
const PLATFORM_CHATS = 150;
/** Far less than the delay that hanging parties would cause; even a machine five times slower keeps it. */
const PROMPT_MS = 25_000;
/** For a machine busy with other tests. */
const LIMIT_MS = 300_000;

let hub: TelegramHub;
let server: InProcessApp;
let stuck: FakeAgent;
let support: FakeAgent;
let release = (): void => undefined;

beforeAll(async () => {
  hub = await TelegramHub.start(CHANNELS);
  stuck = await FakeAgent.start('stuck', () => undefined);
  const released = new Promise<void>((resolve) => (release = resolve));
  stuck.beforeReply = () => released;
  support = await FakeAgent.start('support');
  server = await startApp({ env: { WAYSTATION_TELEGRAM_API_URL: hub.url, WAYSTATION_PLATFORM_TIMEOUT_MS: '60000' } });
  for (const agent of [stuck, support]) {
    agent.api = server.api;
    await agent.beat();
  }
  for (const [i, bot] of hub.bots.entries()) {
    const order = { channel_type: 'telegram', name: `Bot ${i}`, config: { bot_token: bot.token } };
    const channel = await createReadyChannel(server.api, order, i === 0 ? 'stuck' : 'support');
    ok(await setUpWebhook(server.api, channel.id, server.api.baseUrl));
    if (i === 0) expect((await bind(server.api, channel.id, { agent_name: 'support' })).status).toBe(201);
  }
});
afterAll(async () => {
  await hub?.close();
  await stuck?.close();
  await support?.close();
  await server?.stop();
});

/** Many people write to one bot. */
async function crowdAt(bot: TelegramFake, chats: number): Promise<void> {
  for (let chat = 1; chat <= chats; chat++) bot.write(chat, 'hello');
  await waitFor('all to be delivered', () => bot.pending === 0, LIMIT_MS);
}

describe('An agent and a platform that take calls and never answer', () => {
  it(
    'hold up nobody else, neither at first nor when those that waited for them are called',
    async () => {
      const [toStuck, hanging, ...healthy] = hub.bots as [TelegramFake, TelegramFake, ...TelegramFake[]];
      hub.hanging.add(hanging);
      await Promise.all([crowdAt(toStuck, AGENT_CHATS), crowdAt(hanging, PLATFORM_CHATS)]);
      await waitFor('the answers that the platform shall take', () => support.runs.length === PLATFORM_CHATS);
      await waitFor('calls that hang', () => stuck.calls.length > 20 && (hub.hung.get(hanging) ?? 0) > 20);
      const atFirst = stuck.calls.length;
      let round = 0;
      do {
        const text = `round ${++round}`;
        for (const bot of healthy) bot.write(1, text);
        const isAnswered = (bot: TelegramFake) => bot.messages.some((message) => message.text === `You said: ${text}`);
        await waitFor(`the answers of ${text}`, () => healthy.every(isAnswered), PROMPT_MS);
      } while (round < 5 || stuck.calls.length < atFirst + 10);
    },
    2 * LIMIT_MS,
  );

  it(
    'get their messages when they answer again',
    async () => {
      stuck.script = (run, agent) => agent.answer(run, `Late: ${run.message}`);
      release();
      const [toStuck] = hub.bots;
      toStuck!.write(AGENT_CHATS + 1, 'are you there?');
      await waitFor(
        'the answer',
        () => toStuck!.messages.some(({ text }) => text === 'Late: are you there?'),
        LIMIT_MS,
      );
    },
    2 * LIMIT_MS,
  );
});
