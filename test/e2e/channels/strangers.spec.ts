import { gzipSync } from 'node:zlib';
import { connectWhatsapp, createReadyChannel, setUpWebhook, telegramOrder } from '../../support/channels.js';
import { WhatsappFake } from '../../fakes/platforms/whatsapp-fake.js';
import { TelegramFake } from '../../fakes/platforms/telegram-fake.js';
import { checkpoint, newThreadId } from '../../factories/events.js';
import { ApiClient } from '../../support/api-client.js';
import { cpuMsOfProcess } from '../../support/cpu-time.js';
import { problemOf } from '../../support/problem.js';
import { EVENTS, ok } from '../../support/recording.js';
import { StalledSenders } from '../../support/stalled-senders.js';
import { TELEGRAM_RECEIVER, textUpdate } from '../../support/telegram-updates.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const LENGTH = 4 * 1024 * 1024;
const WHATSAPP_RECEIVER = '/v1/channels/webhook/whatsapp';
const telegram = await TelegramFake.start();
const whatsapp = await WhatsappFake.start();
const server = useServer({
  env: {
    WAYSTATION_TELEGRAM_API_URL: telegram.url,
    WAYSTATION_WHATSAPP_API_URL: whatsapp.url,
    WAYSTATION_RECEIVER_PORT: '0',
  },
});
const large = Buffer.alloc(3_500_000, 0x20);
let secret: string;

beforeAll(async () => {
  const channel = await createReadyChannel(server.api, telegramOrder({ config: { bot_token: telegram.token } }));
  ok(await setUpWebhook(server.api, channel.id, server.api.baseUrl));
  secret = telegram.webhook!.secret;
});
afterAll(() => Promise.all([telegram.close(), whatsapp.close()]));

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
      // The last request may have taken the place of a stalled one.
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

describe('What a stranger sends', () => {
  const signed = { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` };
  const many = Buffer.from(`[${'{},'.repeat(1_300_000)}{}]`);
  const send = (path: string, body: Buffer, headers: Record<string, string>) =>
    server.api.post(path, body, { token: null, headers });

  it('must not unpack to far more than was sent, with whatever for a proof', async () => {
    await connectWhatsapp(server.api, whatsapp);
    const packed = gzipSync(many);
    expect(packed.length).toBeLessThan(5_000);
    const gzip = { 'content-encoding': 'gzip' };
    problemOf(await send(WHATSAPP_RECEIVER, packed, { ...gzip, ...signed }), 413);
    problemOf(await send(TELEGRAM_RECEIVER, packed, { ...gzip, 'x-telegram-bot-api-secret-token': secret }), 413);
    const text = Buffer.from(JSON.stringify({ ...textUpdate('packed'), more: 'words that repeat, '.repeat(3_000) }));
    ok(await send(TELEGRAM_RECEIVER, gzipSync(text), { ...gzip, 'x-telegram-bot-api-secret-token': secret }));
  });

  it('costs no more than the proof, which it has not', async () => {
    const costMs = await cpuMsOfProcess(server.process.pid, async () => {
      for (let i = 0; i < 20; i++) expect([401, 429]).toContain((await send(WHATSAPP_RECEIVER, many, signed)).status);
    });
    // Hashing four megabytes takes less than ten milliseconds; parsing them took hundreds.
    expect(costMs / 20).toBeLessThan(100);
  });

  it('is not even read any more where it has no proof and too much of that came from there', async () => {
    await waitFor('the limit', async () => (await send(WHATSAPP_RECEIVER, Buffer.from('{}'), {})).status === 429);
    const headers = { 'content-length': '10', connection: 'close' };
    const answer = await server.api.send('POST', WHATSAPP_RECEIVER, undefined, { token: null, headers });
    problemOf(answer, 429);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  });
});
