import { createHmac } from 'node:crypto';
import { SlackFake } from '../../fakes/platforms/slack-fake.js';
import { WhatsappFake } from '../../fakes/platforms/whatsapp-fake.js';
import type { Answer } from '../../support/api-client.js';
import { CHANNELS, createReadyChannel, messagesOf, setUpWebhook, type CreatedChannel } from '../../support/channels.js';
import { problemOf } from '../../support/problem.js';
import { ok } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';

const APP_SECRET = 'app-secret-of-two-numbers';
const number = (phoneNumberId: string, appSecret = APP_SECRET) =>
  new WhatsappFake({ phoneNumberId, appSecret, displayNumber: '15550783881', accessToken: `EAAG-${phoneNumberId}` });
const [first, second, strange] = [number('101'), number('102'), number('103', 'another-app-secret')];
const slack = await SlackFake.start();
const otherTeam = await SlackFake.start(0, { ...slack.app, team: 'T0OTHER', botToken: 'xoxb-other' });
const server = useServer({ env: { WAYSTATION_SLACK_API_URL: slack.url } });
afterAll(() => Promise.all([slack.close(), otherTeam.close()]));

function order({ config }: WhatsappFake) {
  return { channel_type: 'whatsapp', name: config.phone_number_id, config };
}

function post(platform: string, body: string, headers: Record<string, string>): Promise<Answer> {
  return server.api.post(`/v1/channels/webhook/${platform}`, body, { token: null, headers });
}

function deliver(fake: WhatsappFake, body: string): Promise<Answer> {
  return post('whatsapp', body, { 'x-hub-signature-256': fake.signature(body) });
}

/** Several numbers in one batch of their app. */
function joined(...bodies: string[]): string {
  const entry = bodies.flatMap((body) => (JSON.parse(body) as { entry: unknown[] }).entry);
  return JSON.stringify({ object: 'whatsapp_business_account', entry });
}

const textsOf = async ({ id }: CreatedChannel) =>
  (await messagesOf(server.api, id, { direction: 'in' })).map(({ user_id, text }) => `${user_id}: ${text}`);

describe('A request of a stranger', () => {
  it('that names more numbers than any database could look for is a 401 like the others', async () => {
    const change = (i: number) => `{"value":{"metadata":{"phone_number_id":"${i}"}}}`;
    const body = `{"entry":[{"changes":[${Array.from({ length: 70_000 }, (_, i) => change(i)).join(',')}]}]}`;
    problemOf(await post('whatsapp', body, { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` }), 401);
  });
});

describe('A batch of WhatsApp', () => {
  let [one, two, three]: CreatedChannel[] = [];
  beforeAll(async () => {
    [one, two, three] = [
      await createReadyChannel(server.api, order(first)),
      await createReadyChannel(server.api, order(second)),
      await createReadyChannel(server.api, order(strange)),
    ];
  });

  it('with several messages, people and numbers is stored whole and once, each at its number', async () => {
    const body = joined(
      first.batch([first.textFrom('4911', 'Grüße/1'), first.textFrom('4922', '2')]),
      second.batch([second.textFrom('4911', '3')]),
      first.batch([first.textFrom('4911', '4')]),
    );
    for (let i = 0; i < 3; i++) ok(await deliver(first, body));
    expect(await textsOf(one!)).toEqual(['4911: Grüße/1', '4922: 2', '4911: 4']);
    expect(await textsOf(two!)).toEqual(['4911: 3']);
    const [row] = await messagesOf(server.api, one!.id);
    expect(row).toMatchObject({
      agent_name: 'support',
      thread_id: `channel:${one!.id}:4911:support`,
      user_name: 'User 4911',
    });
  });

  it('that was grouped again is known message by message', async () => {
    const messages = Array.from({ length: 150 }, (_, i) => first.textFrom('4933', `m${i}`));
    ok(await deliver(first, first.batch(messages.slice(0, 100))));
    ok(await deliver(first, first.batch(messages.slice(50))));
    const texts = (await textsOf(one!)).filter((text) => text.startsWith('4933'));
    expect(texts).toEqual(messages.map((_, i) => `4933: m${i}`));
  });

  it('says nothing to a number whose secret is another one', async () => {
    const before = await textsOf(three!);
    const forged = strange.batch([strange.textFrom('4911', 'forged')]);
    problemOf(await deliver(first, forged), 401);
    const mixed = joined(first.batch([first.textFrom('4944', 'mine')]), forged);
    ok(await deliver(first, mixed));
    expect(await textsOf(one!)).toContain('4944: mine');
    expect(await textsOf(three!)).toEqual(before);
  });

  it('for a number without a channel is acknowledged, as its app is known', async () => {
    const unknown = number('999');
    expect((await deliver(unknown, unknown.batch([unknown.textFrom('4911', 'nobody')]))).status).toBe(200);
  });

  it.each([
    ['no signature', {}],
    ['an empty one', { 'x-hub-signature-256': '' }],
    ['without the algorithm', { 'x-hub-signature-256': 'a'.repeat(64) }],
    ['of SHA-1', { 'x-hub-signature': `sha1=${'a'.repeat(40)}` }],
    ['a wrong one', { 'x-hub-signature-256': `sha256=${'a'.repeat(64)}` }],
    ['in capitals', { 'x-hub-signature-256': `SHA256=${'A'.repeat(64)}` }],
  ])('with %s is a 401 and nothing happens', async (_, headers: Record<string, string>) => {
    const before = await textsOf(one!);
    problemOf(await post('whatsapp', first.batch([first.textFrom('4911', 'forged')]), headers), 401);
    expect(await textsOf(one!)).toEqual(before);
  });

  it('is signed over its bytes: another spelling of the same JSON is a 401', async () => {
    const body = first.batch([first.textFrom('4911', 'Grüße/x')]);
    const respelled = JSON.stringify(JSON.parse(body));
    problemOf(await post('whatsapp', respelled, { 'x-hub-signature-256': first.signature(body) }), 401);
  });

  it.each(['', 'junk', '[]', '{}', '{"object":"page","entry":[{}]}', '['.repeat(100_000) + ']'.repeat(100_000)])(
    'that is junk is a 401 or acknowledged, never an internal error (%#)',
    async (body) => {
      expect([200, 401]).toContain((await deliver(first, body)).status);
      problemOf(await deliver(number('1', 'wrong'), body), 401);
    },
  );

  it('of statuses changes nothing but what failed', async () => {
    const before = await textsOf(one!);
    const statuses = ['sent', 'delivered', 'read'].map((status) => ({
      id: 'wamid.unknown',
      status,
      timestamp: '1',
      recipient_id: '4911',
    }));
    ok(await deliver(first, first.batch([], statuses)));
    expect(await textsOf(one!)).toEqual(before);
  });
});

describe('Events of Slack', () => {
  const config = (app: SlackFake['app']) => ({ bot_token: app.botToken, signing_secret: app.signingSecret });
  const create = (app: SlackFake['app']) =>
    createReadyChannel(server.api, { channel_type: 'slack', name: app.team, config: config(app) });
  const send = (fake: SlackFake, body: string, timestamp?: number) =>
    post('slack', body, fake.headersFor(body, timestamp));
  let team: CreatedChannel;

  beforeAll(async () => {
    team = await create(slack.app);
    ok(await setUpWebhook(server.api, team.id, 'https://bots.example.com'));
  });

  it('are stored once: a mention that comes as two events is one message', async () => {
    const mention = slack.message('U7', '<@U0FAKEBOT1> hello &amp; bye', {
      channel: 'C0GENERAL',
      channel_type: 'channel',
    });
    ok(await send(slack, slack.callback({ ...mention, type: 'app_mention' })));
    ok(await send(slack, slack.callback(mention)));
    expect(await textsOf(team)).toEqual(['U7: hello & bye']);
  });

  it('are refused when they are older or newer than five minutes, or signed otherwise', async () => {
    const before = await textsOf(team);
    const body = slack.callback(slack.message('U7', 'late'));
    const now = Math.floor(Date.now() / 1000);
    for (const timestamp of [now - 310, now + 600, 0]) problemOf(await send(slack, body, timestamp), 401);
    const signature = `v0=${createHmac('sha256', 'wrong').update(`v0:${now}:${body}`).digest('hex')}`;
    const headers = { ...slack.headersFor(body, now), 'x-slack-signature': signature };
    problemOf(await post('slack', body, headers), 401);
    problemOf(await post('slack', `${body} `, slack.headersFor(body)), 401);
    expect(await textsOf(team)).toEqual(before);
  });

  it('are read as what their bytes are: the content type is not signed', async () => {
    const press = {
      type: 'block_actions',
      user: { id: 'U0BOSS', team_id: slack.app.team },
      channel: { id: 'D0DIRECT01' },
    };
    const action = { type: 'button', value: 'approve:0f8fad5b-d9cb-469f-a165-70867728950e', action_ts: '1.1' };
    const forged = encodeURIComponent(JSON.stringify({ ...press, actions: [action] }));
    const command = `&command=/x&team_id=${slack.app.team}&channel_id=D0DIRECT01&user_id=U0BOSS&trigger_id=1&`;
    const before = await textsOf(team);
    for (const inner of [`&payload=${forged}&`, command]) {
      const body = ` \n${slack.callback(slack.message('U7', inner))}`;
      const form = { ...slack.headersFor(body), 'content-type': 'application/x-www-form-urlencoded' };
      ok(await post('slack', body, form));
    }
    const genuine = slack.callback(slack.message('U7', 'of any type'));
    ok(await post('slack', genuine, { ...slack.headersFor(genuine), 'content-type': 'text/plain' }));
    const texts = [`&payload=${forged}&`, command, 'of any type'].map((text) => `U7: ${text}`);
    expect(await textsOf(team)).toEqual([...before, ...texts]);
  });

  it.each([
    'token=x&payload=%7B%22type%22%3A%22block_actions%22%7D',
    'payload=%7B%22type%22%3A%22block_actions%22%7D&command=/x',
    'command=/x&text=hi',
    '[{"type":"event_callback"}]',
    '"payload=%7B%7D"',
    'payload=nothing',
    '',
  ])('that are neither JSON nor a form of Slack are refused: %s', async (body) => {
    problemOf(await post('slack', body, slack.headersFor(body)), 401);
  });

  it('of one app in two workspaces go to the channel of their workspace', async () => {
    const other = await create(otherTeam.app);
    ok(await send(slack, slack.callback(slack.message('U7', 'to the first'))));
    expect(await textsOf(team)).toContain('U7: to the first');
    expect(await textsOf(other)).toEqual([]);
    await server.api.delete(`${CHANNELS}/${other.id}`);
  });

  it('that could be meant for two channels are shown in both and worked off in none', async () => {
    await server.api.delete(`${CHANNELS}/${team.id}`);
    const [one, two] = [await create(slack.app), await create(otherTeam.app)];
    ok(await send(slack, slack.callback(slack.message('U7', 'for whom?'))));
    for (const { id } of [one, two]) {
      expect(await messagesOf(server.api, id)).toMatchObject([
        { status: 'dropped', thread_id: null, reason: expect.stringContaining('setup-webhook') },
      ]);
    }
  });
});
