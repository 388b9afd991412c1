import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ChannelAdapters } from '../../src/modules/channels/platforms/channel-adapters.js';
import { CHANNEL_TYPES, type ChannelType } from '../../src/modules/channels/platforms/platforms.js';
import { ChannelsConfig } from '../../src/config/channels.config.js';
import type { OutboundMessage, SendOutcome } from '../../src/modules/channels/platforms/outbound-message.js';
import { freePort } from '../support/free-port.js';
import { KITS, type PlatformKit } from '../support/platform-kits.js';

const never = new AbortController().signal;
const BUTTONS = [
  { label: 'Approve', data: 'a:0123456789abcdef0123456789abcdef' },
  { label: 'Reject', data: 'r:0123456789abcdef0123456789abcdef' },
];

let kit: PlatformKit;

function text(words: string, chatId = kit.chatId): OutboundMessage {
  return { kind: 'text', chat: { chatId, topic: null }, text: words };
}

async function send(message: OutboundMessage): Promise<SendOutcome> {
  const outcome = await kit.adapter.send(kit.account, message, never);
  for (const secret of kit.secrets) expect(JSON.stringify(outcome)).not.toContain(secret);
  return outcome;
}

/** An adapter whose platform is at this address. */
function adapterAt(type: ChannelType, url: string, platformTimeoutMs = 10_000) {
  const config = { apiUrls: { [type]: url }, platformTimeoutMs };
  return new ChannelAdapters(Object.assign(new ChannelsConfig(), config)).get(type);
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe.each(CHANNEL_TYPES)('A message sent through the adapter of %s', (type) => {
  beforeEach(async () => {
    kit = await KITS[type]();
  });

  afterEach(() => kit.close());

  it('arrives, and its id is known', async () => {
    expect(await send(text('Hello there'))).toEqual({ kind: 'sent', messageId: expect.stringMatching(/./) });
    expect(kit.shown()).toEqual([{ text: 'Hello there', buttons: [] }]);
  });

  it('is sent without the halves of characters that a model left', async () => {
    expect(await send(text('half \ud83d'))).toMatchObject({ kind: 'sent' });
    expect(kit.shown()).toEqual([{ text: 'half \ufffd', buttons: [] }]);
  });

  it('is borne by the platform at its full length, whatever characters it has', async () => {
    const { maxTextLength } = kit.adapter;
    for (const unit of ['x', '&', '<', '"', '漢', '*a* ', '😀', '**b** _c_ ']) {
      const words = unit.repeat(Math.floor(maxTextLength / unit.length));
      expect(await send(text(words))).toMatchObject({ kind: 'sent' });
    }
  });

  it('asks with buttons, and an edit says how it ended without them', async () => {
    const chat = { chatId: kit.chatId, topic: null };
    const question = await send({ kind: 'question', chat, text: 'Refund **42** & more?', buttons: BUTTONS });
    expect(kit.shown()[0]!.buttons).toEqual(BUTTONS);
    const messageId = (question as { messageId: string }).messageId;
    expect(await send({ kind: 'edit', chat, messageId, text: 'Approved by Ann' })).toMatchObject({ kind: 'sent' });
    expect(kit.shown().at(-1)).toEqual({ text: 'Approved by Ann', buttons: [] });
  });

  it('says at the end of a long question how it ended, whatever characters that has', async () => {
    const chat = { chatId: kit.chatId, topic: null };
    const question = await send({ kind: 'question', chat, text: 'Refund?', buttons: BUTTONS });
    const messageId = (question as { messageId: string }).messageId;
    const end = 'Approved by Ann';
    for (const unit of ['x', '&', '漢', '😀']) {
      const words = unit.repeat(Math.floor((kit.adapter.maxTextLength - end.length) / unit.length));
      expect(await send({ kind: 'edit', chat, messageId, text: `${words}${end}` })).toMatchObject({ kind: 'sent' });
      const { text: shown, buttons } = kit.shown().at(-1)!;
      expect([shown.slice(-end.length), buttons]).toEqual([end, []]);
    }
  });

  it('asks also when the question is as long as it may be, or longer', async () => {
    const chat = { chatId: kit.chatId, topic: null };
    for (const words of ['&'.repeat(kit.adapter.maxQuestionLength), '漢字. '.repeat(5_000)]) {
      const outcome = await send({ kind: 'question', chat, text: words, buttons: BUTTONS });
      expect(outcome).toMatchObject({ kind: 'sent' });
    }
    expect(kit.shown().at(-1)!.text).toMatch(/…$/);
    expect(kit.shown().at(-1)!.buttons).toEqual(BUTTONS);
  });

  it('to a chat that does not exist, or is closed, is refused for good', async () => {
    expect(await send(text('Hello', kit.unknownChatId))).toMatchObject({ kind: 'refused', isChatClosed: true });
  });

  it('waits as long as the platform says when there were too many', async () => {
    kit.failNextSend(kit.errors.tooMuch);
    expect(await send(text('Hello'))).toMatchObject({ kind: 'later', afterMs: 7_000 });
    kit.failNextSend({ status: 429, body: 'slow down', headers: { 'retry-after': '3' } });
    expect(await send(text('Hello'))).toMatchObject({ kind: 'later', afterMs: 3_000 });
    // A date counts from the platform's own, whatever the clock of this machine says.
    const dates = { date: 'Mon, 04 May 2026 10:00:00 GMT', 'retry-after': 'Mon, 04 May 2026 10:00:05 GMT' };
    kit.failNextSend({ status: 429, body: 'slow down', headers: dates });
    expect(await send(text('Hello'))).toMatchObject({ kind: 'later', afterMs: 5_000 });
    expect(kit.shown()).toEqual([]);
  });

  it('is tried later when the platform says that it is in trouble', async () => {
    kit.failNextSend(kit.errors.broken);
    expect(await send(text('Hello'))).toMatchObject({ kind: 'later' });
  });

  it('is refused with the words of the platform, without what must not be shown, in one line', async () => {
    const words = `no \u0007good\n${kit.secrets.join(' ')} ${'x'.repeat(1_000)}`;
    kit.failNextSend(kit.errors.saying(words));
    const outcome = await send(text('Hello'));
    expect(outcome).toMatchObject({ kind: 'refused', isChatClosed: false, movedTo: null });
    const { reason } = outcome as { reason: string };
    expect(reason).toContain('no good ***');
    expect(reason.length).toBeLessThanOrEqual(300);
  });

  it.each([
    ['the connection breaks', 'break'],
    ['the connection breaks after it was sent', 'break-after'],
    ['half of the answer comes', 'half'],
    ['a gateway answers in place of the platform', { status: 502, body: '<html>Bad Gateway</html>' }],
    ['the answer makes no sense', { status: 200, body: 'OK' }],
    ['the platform sends elsewhere', { status: 307, body: '', headers: { location: '/elsewhere' } }],
  ] as const)('is of unknown fate when %s', async (_name, mishap) => {
    kit.failNextSend(mishap);
    expect(await send(text('Hello'))).toMatchObject({ kind: 'unknown', reason: expect.stringMatching(/\w/) });
  });

  it('is of unknown fate when no answer comes in time', async () => {
    const impatient = await KITS[type](300);
    impatient.failNextSend('hang');
    const outcome = await impatient.adapter.send(impatient.account, text('Hello'), never);
    expect(outcome).toMatchObject({ kind: 'unknown', reason: expect.stringMatching(/\w/) });
    await impatient.close();
  });

  it('is certainly not sent when nobody listens, the name is unknown, or it was given up before', async () => {
    for (const url of [`http://127.0.0.1:${await freePort()}`, 'http://nobody.invalid']) {
      const outcome = await adapterAt(type, url, 40_000).send(kit.account, text('Hello'), never);
      expect(outcome).toMatchObject({ kind: 'later', afterMs: null });
      for (const secret of kit.secrets) expect(JSON.stringify(outcome)).not.toContain(secret);
    }
    expect(await kit.adapter.send(kit.account, text('Hello'), AbortSignal.abort())).toMatchObject({ kind: 'later' });
  });

  it('is of unknown fate when it is given up on the way', async () => {
    kit.failNextSend('hang');
    const limit = new AbortController();
    const sending = kit.adapter.send(kit.account, text('Hello'), limit.signal);
    setTimeout(() => limit.abort(), 50);
    expect(await sending).toMatchObject({ kind: 'unknown' });
  });

  it('is not followed by an answer without end', async () => {
    const server = createServer((_request, response) => {
      const chunk = Buffer.alloc(1024 * 1024, 0x20);
      const more = () => void (response.destroyed || response.write(chunk, () => setImmediate(more)));
      more();
    });
    const outcome = await adapterAt(type, await listening(server), 20_000).send(kit.account, text('Hello'), never);
    expect(outcome).toEqual({ kind: 'unknown', reason: 'the answer of the platform is too long' });
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('with a token that no header can hold is certainly not sent, and the token is not shown', async () => {
    const config = { ...kit.account.config, bot_token: '1:gehéim€', access_token: 'gehéim€' };
    const outcome = await kit.adapter.send({ ...kit.account, config }, text('Hello'), never);
    expect(outcome.kind).toBe(type === 'telegram' ? 'refused' : 'later');
    expect(JSON.stringify(outcome)).not.toMatch(/geh|8364/);
  });

  it('is announced by typing, and a press is answered, without a word when that fails', async () => {
    const chat = { chatId: kit.chatId, topic: null };
    const closed = adapterAt(type, 'http://127.0.0.1:9');
    for (const adapter of [kit.adapter, closed]) {
      await expect(adapter.showTyping(kit.account, chat, 'wamid.1', never)).resolves.toBeUndefined();
      await expect(adapter.answerPress(kit.account, `${kit.chatId}/U1`, 'Noted', never)).resolves.toBeUndefined();
    }
  });
});
