import { TelegramAdapter } from '../../src/modules/channels/platforms/telegram/telegram.adapter.js';
import type { ChannelAccount } from '../../src/modules/channels/platforms/channel-adapter.js';
import { PlatformCalls } from '../../src/modules/channels/platforms/platform-calls.js';
import { STANDSTILL_MS } from '../fakes/platforms/platform-server.js';
import { TelegramFake } from '../fakes/platforms/telegram-fake.js';

const never = new AbortController().signal;

describe('The adapter of telegram, besides the contract,', () => {
  let fake: TelegramFake;
  let adapter: TelegramAdapter;
  let account: ChannelAccount;

  const send = (text: string, chatId = '4242', topic: string | null = null) =>
    adapter.send(account, { kind: 'text', chat: { chatId, topic }, text }, never);

  beforeEach(async () => {
    fake = await TelegramFake.start();
    fake.chats.add('4242');
    adapter = new TelegramAdapter(new PlatformCalls(10_000), fake.url);
    const profile = { userId: null, userName: null, team: null };
    account = { channelId: 'c', config: { bot_token: fake.token }, profile, webhookSecrets: [] };
  });

  afterEach(() => fake.close());

  it('sends what models write as HTML', async () => {
    await send('# Result\n**1 < 2** & `a<b`\n```js\nx && y\n```\n[more](https://x.org/?a=1&b=2)');
    expect(fake.messages[0]).toMatchObject({ isHtml: true, text: 'Result\n1 < 2 & a<b\nx && y\nmore' });
  });

  it('sends the bare text when Telegram cannot read the tags', async () => {
    fake.failNext('sendMessage', TelegramFake.error(400, "Bad Request: can't parse entities: Unsupported start tag"));
    expect(await send('**bold**')).toMatchObject({ kind: 'sent' });
    expect(fake.messages).toMatchObject([{ isHtml: false, text: '**bold**' }]);
    expect(fake.requests.length).toBe(2);
  });

  it('sees an answer that came in time after a standstill until the time was over', async () => {
    const impatient = new TelegramAdapter(new PlatformCalls(STANDSTILL_MS - 500), fake.url);
    fake.failNext('sendMessage', 'standstill');
    const message = { kind: 'text', chat: { chatId: '4242', topic: null }, text: 'hi' } as const;
    expect(await impatient.send(account, message, never)).toMatchObject({ kind: 'sent' });
  });

  it('writes into the topic', async () => {
    await send('hi', '4242', '31');
    expect(fake.messages[0]!.threadId).toBe('31');
  });

  it.each([
    [403, 'Forbidden: bot was blocked by the user'],
    [403, 'Forbidden: user is deactivated'],
    [403, 'Forbidden: bot was kicked from the supergroup chat'],
    [400, 'Bad Request: chat not found'],
  ])('knows by %i %s that nothing can be sent there any more', async (code, words) => {
    fake.failNext('sendMessage', TelegramFake.error(code, words));
    expect(await send('hi')).toEqual({ kind: 'refused', reason: words, isChatClosed: true, movedTo: null });
  });

  it('says where a group has moved to', async () => {
    const words = 'Bad Request: group chat was upgraded to a supergroup chat';
    fake.failNext('sendMessage', TelegramFake.error(400, words, { migrate_to_chat_id: -1001999888777 }));
    expect(await send('hi')).toEqual({
      kind: 'refused',
      reason: words,
      isChatClosed: false,
      movedTo: '-1001999888777',
    });
  });

  it.each([502, 504])('does not know whether a message was shown after %i', async (code) => {
    fake.failNext('sendMessage', TelegramFake.error(code, 'Gateway'));
    expect(await send('hi')).toMatchObject({ kind: 'unknown' });
  });

  it('takes an edit that changes nothing for done', async () => {
    const outcome = await send('same');
    const { messageId } = outcome as { messageId: string };
    const edit = { kind: 'edit', chat: { chatId: '4242', topic: null }, messageId, text: 'same' } as const;
    expect(await adapter.send(account, edit, never)).toEqual({ kind: 'sent', messageId });
  });

  it('registers the webhook with the secret and the kinds of update that it understands', async () => {
    const result = await adapter.registerWebhook(account, 'https://x.org/v1/channels/webhook/telegram', 'S-1_x', never);
    expect(result.status).toBe('registered');
    expect(fake.webhook).toEqual({
      url: 'https://x.org/v1/channels/webhook/telegram',
      secret: 'S-1_x',
      allowed: ['message', 'callback_query', 'my_chat_member'],
    });
  });

  it('hands on why Telegram refuses a webhook', async () => {
    const words = 'Bad Request: bad webhook: HTTPS url must be provided for webhook';
    fake.failNext('setWebhook', TelegramFake.error(400, words));
    await expect(adapter.registerWebhook(account, 'http://x.org', 'S', never)).rejects.toMatchObject({
      message: words,
      isCertain: true,
    });
  });

  it('asks for updates, goes on behind the last, and waits for the next', async () => {
    expect(await adapter.poll(account, null, 0, never)).toEqual({ updates: [], nextOffset: null });
    const first = fake.write(4242, 'one');
    fake.write(4242, 'two');
    const { updates, nextOffset } = await adapter.poll(account, null, 0, never);
    expect(updates).toMatchObject([{ kind: 'message', text: 'one', key: `update:${first}` }, { text: 'two' }]);
    expect(nextOffset).toBe(String(first + 2));
    const waiting = adapter.poll(account, nextOffset, 5, never);
    fake.write(4242, 'three');
    expect((await waiting).updates).toMatchObject([{ text: 'three' }]);
  });

  it('waits for updates longer than for other answers', async () => {
    const impatient = new TelegramAdapter(new PlatformCalls(2_000), fake.url);
    expect(await impatient.poll(account, null, 3, never)).toEqual({ updates: [], nextOffset: null });
  });

  it('cannot poll while there is a webhook, and can end it', async () => {
    fake.webhook = { url: 'http://127.0.0.1:9/', secret: 'S', allowed: [] };
    await expect(adapter.poll(account, null, 0, never)).rejects.toThrow(/webhook is active/);
    await adapter.stopWebhook(account, never);
    expect(await adapter.poll(account, '7', 0, never)).toEqual({ updates: [], nextOffset: '7' });
  });

  it('shows that it types, and cuts a notice to what Telegram bears', async () => {
    await adapter.showTyping(account, { chatId: '4242', topic: null }, '1', never);
    await adapter.answerPress(account, '99', '😀'.repeat(150), never);
    expect(fake.typing).toEqual(['4242']);
    expect(fake.pressAnswers[0]!.text.isWellFormed()).toBe(true);
    expect(fake.pressAnswers[0]!.text.length).toBeLessThanOrEqual(200);
  });

  it('does not let a token reach another path of the server', async () => {
    const config = { bot_token: '1:../../x?y#z/' };
    await adapter.send({ ...account, config }, { kind: 'text', chat: { chatId: '1', topic: null }, text: 'x' }, never);
    expect(fake.requests.at(-1)!.path).toBe('/bot1:..%2F..%2Fx%3Fy%23z%2F/sendMessage');
  });
});
