import { SlackFake } from '../../fakes/platforms/slack-fake.js';
import { TelegramFake } from '../../fakes/platforms/telegram-fake.js';
import { WhatsappFake } from '../../fakes/platforms/whatsapp-fake.js';
import {
  channelOf,
  CHANNELS,
  createChannel,
  createReadyChannel,
  inboundOf,
  messagesOf,
  putConfig,
  setUpWebhook,
  telegramOrder,
} from '../../support/channels.js';
import { problemOf } from '../../support/problem.js';
import { ok } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const telegram = await TelegramFake.start();
const whatsapp = await WhatsappFake.start();
const slack = await SlackFake.start();
const server = useServer({
  env: {
    WAYSTATION_TELEGRAM_API_URL: telegram.url,
    WAYSTATION_WHATSAPP_API_URL: whatsapp.url,
    WAYSTATION_SLACK_API_URL: slack.url,
    // How long the server waits for the hanging one.
    WAYSTATION_PLATFORM_TIMEOUT_MS: '10000',
  },
});
afterAll(() => Promise.all([telegram, whatsapp, slack].map((fake) => fake.close())));

const RECEIVER = '/v1/channels/webhook/telegram';
const { phoneNumberId, accessToken, appSecret } = whatsapp.number;
const WHATSAPP = { phone_number_id: phoneNumberId, access_token: accessToken, app_secret: appSecret };

function push(secret: string, updateId: number) {
  const headers = { 'x-telegram-bot-api-secret-token': secret };
  return server.api.post(RECEIVER, { update_id: updateId }, { token: null, headers });
}

describe('Setting up the webhook of Telegram', () => {
  let id: string;
  beforeAll(async () => {
    id = (await createReadyChannel(server.api, telegramOrder({ config: { bot_token: telegram.token } }))).id;
  });

  it('registers the receiver with a secret of its own, and messages arrive', async () => {
    const answer = ok(await setUpWebhook(server.api, id, `${server.api.baseUrl}///`)).json();
    const url = `${server.api.baseUrl}${RECEIVER}`;
    expect(answer).toEqual({ webhook_url: url, status: 'registered', instructions: [] });
    expect(telegram.webhook).toMatchObject({ url, secret: expect.stringMatching(/^[\w-]{43}$/) });
    expect((await channelOf(server.api, id)).webhook_url).toBe(url);
    telegram.write(7, 'hello');
    expect((await inboundOf(server.api, id, 1))[0]).toMatchObject({ text: 'hello', agent_name: 'support' });
  });

  it('again makes a new secret; the old one counts until the platform has the new one', async () => {
    const { secret } = telegram.webhook!;
    telegram.failNext('setWebhook', 'hang');
    const pending = setUpWebhook(server.api, id, 'https://bots.example.com');
    const isAsked = () => telegram.requests.some(({ body }) => JSON.stringify(body).includes('bots.example.com'));
    await waitFor('the platform to be asked', isAsked);
    const asked = telegram.requests.find(({ body }) => JSON.stringify(body).includes('bots.example.com'))!;
    const fresh = String(asked.body.secret_token);
    expect(fresh).not.toBe(secret);
    expect((await push(secret, 1)).status).toBe(200);
    expect((await push(fresh, 2)).status).toBe(200);
    problemOf(await push('another', 3), 401);
    // The platform does not respond in time: which secret it uses is unknown, so both stay valid.
    problemOf(await pending, 502);
    expect((await push(secret, 4)).status).toBe(200);
    expect((await push(fresh, 5)).status).toBe(200);
    ok(await setUpWebhook(server.api, id, server.api.baseUrl));
    expect((await push(telegram.webhook!.secret, 6)).status).toBe(200);
    problemOf(await push(secret, 7), 401);
    expect(telegram.webhook!.secret).toBe(fresh);
  });

  it('that the platform refuses is a 502 with its words, and changes nothing', async () => {
    const before = await channelOf(server.api, id);
    telegram.failNext('setWebhook', TelegramFake.error(400, 'Bad Request: bad webhook: HTTPS url must be provided'));
    const problem = problemOf(await setUpWebhook(server.api, id, 'https://bots.example.com'), 502);
    expect(problem.detail).toContain('HTTPS url must be provided');
    expect(JSON.stringify(problem)).not.toContain(telegram.token);
    expect(await channelOf(server.api, id)).toEqual(before);
    expect((await push(telegram.webhook!.secret, 9)).status).toBe(200);
  });

  it.each([
    ['is refused', TelegramFake.error(401, 'Unauthorized')],
    ['breaks', 'break'],
    ['is half an answer', 'half'],
    ['makes no sense', { status: 200, body: '<html>' }],
    ['is to come later', TelegramFake.error(429, 'Too Many Requests: retry after 3', { retry_after: 3 })],
  ] as const)('that %s is a 502 without the token', async (_, mishap) => {
    telegram.failNext('setWebhook', mishap);
    const answer = await setUpWebhook(server.api, id, 'https://bots.example.com');
    problemOf(answer, 502);
    expect(answer.text).not.toContain(telegram.token.split(':')[1]);
    expect((await push(telegram.webhook!.secret, 10)).status).toBe(200);
  });

  it.each([
    ...['http://bots.example.com', 'ftp://bots.example.com', 'bots.example.com', '', '//x', 'https://', 'https://a b'],
    ...['https://user:pw@bots.example.com', 'https://bots.example.com?x=1', 'https://bots.example.com#x', 'https://x?'],
    ...['http://127.0.0.1.example.com', 'http://localhost.example.com', `https://x.example/${'a'.repeat(2048)}`],
    ...[null, 7, {}, ['https://bots.example.com']],
  ])('at %j is a 400', async (baseUrl) => {
    const asked = telegram.requests.length;
    expect(problemOf(await setUpWebhook(server.api, id, baseUrl), 400).errors?.[0]?.path).toBe('base_url');
    expect(telegram.requests).toHaveLength(asked);
  });

  it.each(['http://localhost:8000', 'http://[::1]:8000', 'https://bots.example.com/way/station/'])(
    'at %s is possible',
    async (baseUrl) => {
      const answer = ok(await setUpWebhook(server.api, id, baseUrl)).json<{ webhook_url: string }>();
      expect(answer.webhook_url).toBe(`${baseUrl.replace(/\/$/, '')}${RECEIVER}`);
    },
  );

  it('of a channel that polls is a conflict', async () => {
    const order = telegramOrder({ config: { bot_token: '42:polls', transport: 'polling' } });
    const { id: polling } = await createChannel(server.api, order);
    expect(problemOf(await setUpWebhook(server.api, polling, 'https://x.example'), 409).code).toBe('channel_polls');
    await server.api.delete(`${CHANNELS}/${polling}`);
  });
});

describe('Setting up the webhook of WhatsApp', () => {
  const order = (more: object) => ({
    ...{ channel_type: 'whatsapp', name: 'Number' },
    config: { ...WHATSAPP, verify_token: 'a-verify-token', ...more },
  });

  it('says what to paste, subscribes the app, and answers the handshake', async () => {
    const { id } = await createReadyChannel(server.api, order({ waba_id: '1029384756' }));
    const answer = ok(await setUpWebhook(server.api, id, 'https://bots.example.com/'));
    const { webhook_url, status, instructions } = answer.json<{ [name: string]: string }>();
    expect([webhook_url, status]).toEqual(['https://bots.example.com/v1/channels/webhook/whatsapp', 'manual']);
    expect(JSON.stringify(instructions)).toContain(webhook_url);
    expect(answer.text).not.toMatch(new RegExp(`${accessToken}|${appSecret}|a-verify-token`));
    expect(whatsapp.subscribed).toEqual(['1029384756']);
    const path = '/v1/channels/webhook/whatsapp?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=';
    const shaken = await server.api.get(`${path}a-verify-token`, { token: null });
    expect([shaken.status, shaken.text]).toEqual([200, '1158201444']);
    expect(shaken.headers['content-type']).toMatch(/^text\/plain/);
    for (const token of ['wrong', '', 'a-verify-token&hub.verify_token=x']) {
      problemOf(await server.api.get(`${path}${token}`, { token: null }), 403);
    }
    problemOf(await server.api.get('/v1/channels/webhook/telegram', { token: null }), 403);
    problemOf(await server.api.get('/v1/channels/webhook/pigeon', { token: null }), 404);
    await server.api.delete(`${CHANNELS}/${id}`);
  });

  it('works also while the platform is away, but not the subscription', async () => {
    const { id } = await createChannel(server.api, order({}));
    whatsapp.failNext('.*', 'break');
    expect(ok(await setUpWebhook(server.api, id, 'https://bots.example.com')).json()).toMatchObject({
      status: 'manual',
    });
    ok(await putConfig(server.api, id, order({ waba_id: '1029384756' }).config));
    whatsapp.failNext('subscribed_apps', WhatsappFake.error(400, 100, 'No such account'));
    const problem = problemOf(await setUpWebhook(server.api, id, 'https://bots.example.com'), 502);
    expect(problem.detail).toContain('No such account');
  });
});

describe('Setting up the webhook of Slack', () => {
  it('says what to paste, and learns which workspace it is', async () => {
    const { botToken, signingSecret } = slack.app;
    const config = { bot_token: botToken, signing_secret: signingSecret };
    const { id } = await createReadyChannel(server.api, { channel_type: 'slack', name: 'Team', config });
    const { instructions } = ok(await setUpWebhook(server.api, id, 'https://bots.example.com')).json();
    expect(JSON.stringify(instructions)).toContain('https://bots.example.com/v1/channels/webhook/slack');
    const challenge = JSON.stringify({ type: 'url_verification', token: 'x', challenge: '3eZbrw1a' });
    const headers = slack.headersFor(challenge);
    const answer = await server.api.post('/v1/channels/webhook/slack', challenge, { token: null, headers });
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('3eZbrw1a');
    expect(await messagesOf(server.api, id)).toEqual([]);
    const unsigned = await server.api.post('/v1/channels/webhook/slack', challenge, { token: null });
    problemOf(unsigned, 401);
  });
});
