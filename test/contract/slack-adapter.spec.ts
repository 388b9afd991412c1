import { SlackAdapter } from '../../src/modules/channels/platforms/slack/slack.adapter.js';
import type { ChannelAccount } from '../../src/modules/channels/platforms/channel-adapter.js';
import { PlatformCalls } from '../../src/modules/channels/platforms/platform-calls.js';
import { SlackFake } from '../fakes/platforms/slack-fake.js';

const never = new AbortController().signal;

describe('The adapter of slack, besides the contract,', () => {
  let fake: SlackFake;
  let adapter: SlackAdapter;
  let account: ChannelAccount;

  const send = (text: string, topic: string | null = null) =>
    adapter.send(account, { kind: 'text', chat: { chatId: 'C0GENERAL', topic }, text }, never);

  beforeEach(async () => {
    fake = await SlackFake.start();
    adapter = new SlackAdapter(new PlatformCalls(10_000), fake.url);
    const config = { bot_token: fake.app.botToken, signing_secret: fake.app.signingSecret };
    account = { channelId: 'c', config, profile: { userId: null, userName: null, team: null }, webhookSecrets: [] };
  });

  afterEach(() => fake.close());

  it('writes the marks that Slack knows, and escapes what it would take for some', async () => {
    await send('**1 < 2** & *so* <@U1> [more|less](https://x.org/?a=1&b=2|c)');
    expect(fake.messages[0]!.text).toBe('*1 &lt; 2* &amp; _so_ &lt;@U1&gt; <https://x.org/?a=1&amp;b=2%7Cc|more/less>');
  });

  it('answers in the thread, and shows there that it writes', async () => {
    await send('hi', '1763500000.000100');
    await adapter.showTyping(account, { chatId: 'C0GENERAL', topic: '1763500000.000100' }, 'x', never);
    expect(fake.messages[0]!.threadTs).toBe('1763500000.000100');
    expect(fake.statuses).toEqual([{ channel: 'C0GENERAL', threadTs: '1763500000.000100' }]);
  });

  it.each([
    ['internal_error', { kind: 'unknown' }],
    ['fatal_error', { kind: 'unknown' }],
    ['service_unavailable', { kind: 'later', afterMs: null }],
    ['ratelimited', { kind: 'later', afterMs: null }],
    ['is_archived', { kind: 'refused', isChatClosed: true }],
    ['not_in_channel', { kind: 'refused', isChatClosed: true }],
    ['msg_too_long', { kind: 'refused', isChatClosed: false }],
    ['token_revoked', { kind: 'refused', isChatClosed: false }],
  ])('knows what %s means', async (error, expected) => {
    fake.failNext('chat.postMessage', { status: 200, body: { ok: false, error } });
    expect(await send('hi')).toMatchObject({ ...expected, reason: error });
  });

  it('takes a proof for five minutes, both ways', () => {
    const body = fake.callback(fake.message('U1', 'hi'));
    const at = 1_763_600_000;
    const headers = fake.headersFor(body, at);
    const isProvenAt = (seconds: number) =>
      adapter.isProven({ headers, rawBody: Buffer.from(body), receivedAtMs: (at + seconds) * 1000 }, account);
    expect([0, 299, 300, -300].map(isProvenAt)).toEqual([true, true, true, true]);
    expect([301, -301, 3_600, -3_600].map(isProvenAt)).toEqual([false, false, false, false]);
  });

  it('tells a person alone what became of a press', async () => {
    await adapter.answerPress(account, 'C0GENERAL/U0BO/1763500000.000100', 'Only Ann may decide.', never);
    expect(fake.ephemeral).toEqual([{ channel: 'C0GENERAL', user: 'U0BO', text: 'Only Ann may decide.' }]);
  });

  it('hears a mention once, also where it does not know its own name yet', () => {
    const mention = {
      type: 'app_mention',
      user: 'U1',
      text: '<@U0FAKEBOT1> hi',
      channel: 'C0GENERAL',
      ts: '1763600000.1',
    };
    const callback = (event: object, id: string) =>
      Buffer.from(JSON.stringify({ type: 'event_callback', team_id: 'T1', event_id: id, event }));
    const parse = (rawBody: Buffer) => adapter.parse({ rawBody, headers: {}, receivedAtMs: 0 }, account).updates;
    const asMessage = parse(callback({ ...mention, type: 'message', channel_type: 'channel' }, 'E1'));
    const asMention = parse(callback(mention, 'E2'));
    expect(asMessage).toMatchObject([{ kind: 'ignored', key: 'event:E1' }]);
    expect(asMention).toMatchObject([{ kind: 'message', text: 'hi', isAddressed: true }]);
  });

  it('tells workspaces of one app apart by their tokens', () => {
    const [one, other] = ['xoxb-1', 'xoxb-2'].map((bot_token) =>
      adapter.identityOf({ bot_token, signing_secret: 's' }),
    );
    expect(one).not.toBe(other);
  });

  it('names what is to be pasted, and where', async () => {
    const url = 'https://x.org/v1/channels/webhook/slack';
    const result = await adapter.registerWebhook(account, url);
    expect(result).toMatchObject({ status: 'manual' });
    expect(result.instructions.filter((line) => line.endsWith(url)).length).toBe(2);
  });
});
