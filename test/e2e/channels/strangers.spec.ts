import { createReadyChannel, setUpWebhook, telegramOrder } from '../../support/channels.js';
import { TelegramFake } from '../../fakes/platforms/telegram-fake.js';
import { checkpoint, newThreadId } from '../../factories/events.js';
import { ApiClient } from '../../support/api-client.js';
import { problemOf } from '../../support/problem.js';
import { EVENTS, ok } from '../../support/recording.js';
import { StalledSenders } from '../../support/stalled-senders.js';
import { TELEGRAM_RECEIVER, textUpdate } from '../../support/telegram-updates.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const LENGTH = 4 * 1024 * 1024;
const telegram = await TelegramFake.start();
const server = useServer({ env: { WAYSTATION_TELEGRAM_API_URL: telegram.url, WAYSTATION_RECEIVER_PORT: '0' } });
const large = Buffer.alloc(3_500_000, 0x20);
let secret: string;

beforeAll(async () => {
  const channel = await createReadyChannel(server.api, telegramOrder({ config: { bot_token: telegram.token } }));
  ok(await setUpWebhook(server.api, channel.id, server.api.baseUrl));
  secret = telegram.webhook!.secret;
});
afterAll(() => telegram.close());

describe('A body for the receiver', () => {
  it.each([
    ['of an unknown platform', 'discord', 404],
    ['of a platform without a channel', 'whatsapp', 401],
  ])('%s is refused before it is read', async (_what, platform, status) => {
    const path = `/v1/channels/webhook/${platform}`;
    const headers = { 'content-length': '10', connection: 'close' };
    const answer = await server.api.send('POST', path, undefined, { token: null, headers });
    problemOf(answer, status);
  });

  it.each([
    ['the port of the API', () => server.api.baseUrl],
    ['a port of its own', () => /receiver\s+(http:\/\/127\.0\.0\.1:\d+)/.exec(server.process.printed)![1]!],
  ])('that never ends keeps no agent and no small message out: %s', async (_where, address) => {
    const api = new ApiClient(address(), '');
    const stalled = new StalledSenders(api.baseUrl);
    const stall = () => stalled.open({ path: TELEGRAM_RECEIVER, length: LENGTH });
    for (let i = 0; i < 40; i++) stall();
    await waitFor('strangers to be refused', async () => {
      const { status } = await api.post(TELEGRAM_RECEIVER, large);
      // What was just sent may have taken the place of one.
      if (status !== 503) stall();
      return status === 503;
    });
    const history = [{ role: 'user', content: 'x'.repeat(20_000_000) }];
    for (const fields of [{}, { history }]) {
      ok(await server.api.post(EVENTS, { events: [checkpoint(newThreadId(), 0, fields)] }));
    }
    const headers = { 'x-telegram-bot-api-secret-token': secret };
    ok(await api.post(TELEGRAM_RECEIVER, textUpdate('hello'), { token: null, headers }));
    stalled.close();
    api.close();
  });
});
