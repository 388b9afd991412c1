import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SlackFake } from '../fakes/platforms/slack-fake.js';
import { TelegramFake } from '../fakes/platforms/telegram-fake.js';
import { WhatsappFake } from '../fakes/platforms/whatsapp-fake.js';
import { waitFor } from '../support/wait.js';

interface Received {
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

/** A receiver that notes what it gets and answers as it is told, else with 200. */
class Receiver {
  readonly received: Received[] = [];
  readonly statuses: number[] = [];
  private readonly server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      this.received.push({ headers: request.headers, text: Buffer.concat(chunks).toString() });
      response.writeHead(this.statuses.shift() ?? 200).end();
    });
  });

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hook`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

async function post(url: string, body: object, headers: Record<string, string> = {}) {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body), headers });
  return (await response.json()) as Record<string, unknown>;
}

let receiver: Receiver;
let hook: string;

beforeEach(async () => {
  receiver = new Receiver();
  hook = await receiver.start();
});

afterEach(() => receiver.stop());

describe('The fake of Telegram', () => {
  let fake: TelegramFake;

  beforeEach(async () => {
    fake = await TelegramFake.start();
    fake.chats.add('1');
  });

  afterEach(() => fake.close());

  const call = (method: string, body: object, token = fake.token) => post(`${fake.url}/bot${token}/${method}`, body);
  const keys = (data: string) => ({ inline_keyboard: [[{ text: 'A', callback_data: data }]] });

  it('is as strict as Telegram', async () => {
    const refused: [object, number, RegExp][] = [
      [{ chat_id: '2', text: 'x' }, 400, /chat not found/],
      [{ chat_id: '1', text: '' }, 400, /text is empty/],
      [{ chat_id: '1', text: 'x'.repeat(4097) }, 400, /too long/],
      [{ chat_id: '1', text: '漢'.repeat(11_000) }, 400, /too long/],
      [{ chat_id: '1', text: '<b>x', parse_mode: 'HTML' }, 400, /can't parse entities/],
      [{ chat_id: '1', text: '<b><i>x</b></i>', parse_mode: 'HTML' }, 400, /can't parse entities/],
      [{ chat_id: '1', text: '<h1>x</h1>', parse_mode: 'HTML' }, 400, /can't parse entities/],
      [{ chat_id: '1', text: 'x', reply_markup: keys('é'.repeat(33)) }, 400, /BUTTON_DATA_INVALID/],
      [{ chat_id: '1', text: 'x', reply_markup: keys('') }, 400, /BUTTON_DATA_INVALID/],
    ];
    for (const [body, code, words] of refused) {
      const description = expect.stringMatching(words);
      expect(await call('sendMessage', body)).toMatchObject({ ok: false, error_code: code, description });
    }
    fake.blocked.add('1');
    expect(await call('sendMessage', { chat_id: '1', text: 'x' })).toMatchObject({ error_code: 403 });
    expect(await call('getMe', {}, '1:wrong')).toMatchObject({ ok: false, error_code: 401 });
    expect(await call('setWebhook', { url: hook, secret_token: 'no spaces' })).toMatchObject({ error_code: 400 });
    expect(fake.messages).toEqual([]);
  });

  it('delivers in order per chat, again until a 2xx, with the secret', async () => {
    await call('setWebhook', { url: hook, secret_token: 'S-1' });
    receiver.statuses.push(500, 503, 401);
    const first = fake.write(7, 'one');
    const second = fake.write(7, 'two');
    await waitFor('both updates', () => receiver.received.length === 5 && fake.pending === 0);
    const ids = receiver.received.map(({ text }) => (JSON.parse(text) as { update_id: number }).update_id);
    expect(ids).toEqual([first, first, first, first, second]);
    for (const { headers } of receiver.received) expect(headers['x-telegram-bot-api-secret-token']).toBe('S-1');
  });

  it('keeps updates for getUpdates until they are confirmed, and refuses it beside a webhook', async () => {
    const first = fake.write(7, 'one');
    fake.write(7, 'two');
    const get = async (offset: number) => ((await call('getUpdates', { offset })).result as object[]).length;
    expect([await get(0), await get(0), await get(first + 1), await get(0)]).toEqual([2, 2, 1, 1]);
    await call('setWebhook', { url: hook, secret_token: 'S' });
    expect(await call('getUpdates', {})).toMatchObject({ ok: false, error_code: 409 });
  });

  it('presses the buttons of its messages', async () => {
    await call('setWebhook', { url: hook, secret_token: 'S' });
    await call('sendMessage', { chat_id: '1', text: 'Sure?', reply_markup: keys('a:1') });
    fake.press(1, fake.messages[0]!.messageId, 'A');
    await waitFor('the press', () => receiver.received.length === 1);
    const { callback_query: query } = JSON.parse(receiver.received[0]!.text) as { callback_query: { data: string } };
    expect(query.data).toBe('a:1');
    expect(() => fake.press(1, 12345, 'A')).toThrow(/no button/);
  });
});

describe('The fake of WhatsApp', () => {
  let fake: WhatsappFake;

  beforeEach(async () => {
    fake = await WhatsappFake.start();
    fake.open.add('1');
    fake.receiverUrl = hook;
  });

  afterEach(() => fake.close());

  const send = (content: object, token = fake.number.accessToken) => {
    const body = { messaging_product: 'whatsapp', recipient_type: 'individual', to: '1', ...content };
    return post(`${fake.url}/${fake.number.phoneNumberId}/messages`, body, { authorization: `Bearer ${token}` });
  };
  const asking = (text: string, ...titles: string[]) => {
    const buttons = titles.map((title, i) => ({ type: 'reply', reply: { id: `b${i}`, title } }));
    return { type: 'interactive', interactive: { type: 'button', body: { text }, action: { buttons } } };
  };

  it('is as strict as the Cloud API', async () => {
    const text = (body: string) => ({ type: 'text', text: { body } });
    const refused: [object, number][] = [
      [text(''), 131009],
      [text('x'.repeat(4097)), 131009],
      [asking('x'.repeat(1025), 'A'), 131009],
      [asking('x', 'A', 'A'), 131009],
      [asking('x', 'A', 'B', 'C', 'D'), 131009],
      [asking('x', 'x'.repeat(21)), 131009],
      [{ ...text('x'), to: '2' }, 131047],
      [{ ...text('x'), to: 'US.1' }, 100],
    ];
    for (const [content, code] of refused) expect(await send(content)).toMatchObject({ error: { code } });
    expect(await send(text('x'), 'wrong')).toMatchObject({ error: { code: 190 } });
    expect(fake.messages).toEqual([]);
  });

  it('signs the bytes that it delivers, escapes them as Meta does, and delivers again', async () => {
    receiver.statuses.push(500);
    const body = fake.batch([fake.textFrom('1', 'a/b ü'), fake.textFrom('2', 'two')]);
    expect(body).toContain('a\\/b \\u00fc');
    await fake.deliver(body, 2);
    expect(receiver.received.map(({ text }) => text)).toEqual([body, body, body]);
    for (const { headers } of receiver.received) expect(headers['x-hub-signature-256']).toBe(fake.signature(body));
  });

  it('presses the buttons of its messages', async () => {
    await send(asking('Sure?', 'Approve'));
    const pressed = fake.pressFrom('1', fake.messages[0]!.id, 'Approve');
    expect(pressed).toMatchObject({ interactive: { button_reply: { id: 'b0', title: 'Approve' } } });
    expect(() => fake.pressFrom('1', 'wamid.X', 'Approve')).toThrow(/no button/);
  });
});

describe('The fake of Slack', () => {
  let fake: SlackFake;

  beforeEach(async () => {
    fake = await SlackFake.start();
    fake.receiverUrl = hook;
    fake.retryMs = [0, 1, 1];
  });

  afterEach(() => fake.close());

  const call = (method: string, body: object, token = fake.app.botToken) =>
    post(`${fake.url}/${method}`, body, { authorization: `Bearer ${token}` });
  const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text } });

  it('is as strict as Slack', async () => {
    const channel = 'C0GENERAL';
    const refused: [object, string][] = [
      [{ channel: 'C9', text: 'x' }, 'channel_not_found'],
      [{ channel, text: '' }, 'no_text'],
      [{ channel, text: 'x'.repeat(40_001) }, 'msg_too_long'],
      [{ channel, text: 'x', blocks: [section('x'.repeat(3_001))] }, 'invalid_blocks'],
      [{ channel, text: 'x', blocks: Array(51).fill(section('x')) }, 'invalid_blocks'],
    ];
    for (const [body, error] of refused) expect(await call('chat.postMessage', body)).toEqual({ ok: false, error });
    expect(await call('chat.postMessage', { channel, text: 'x' }, 'wrong')).toMatchObject({ error: 'invalid_auth' });
    expect(await call('chat.update', { channel, ts: '1.2', text: 'x' })).toMatchObject({ error: 'message_not_found' });
    expect(fake.messages).toEqual([]);
  });

  it('delivers up to four times, and says which try it is', async () => {
    receiver.statuses.push(500, 500, 500, 500);
    const body = fake.callback(fake.message('U1', 'hi'));
    expect((await fake.deliver(body)).status).toBe(500);
    expect(receiver.received.map(({ headers }) => headers['x-slack-retry-num'])).toEqual([undefined, '1', '2', '3']);
    expect((await fake.deliver(body)).status).toBe(200);
    expect(receiver.received.length).toBe(5);
  });

  it('keeps the buttons of a message until an update takes them away', async () => {
    const channel = 'C0GENERAL';
    const button = { type: 'button', action_id: 'b', text: { type: 'plain_text', text: 'A' }, value: 'a:1' };
    await call('chat.postMessage', { channel, text: 'Sure?', blocks: [{ type: 'actions', elements: [button] }] });
    const { ts } = fake.messages[0]!;
    await call('chat.update', { channel, ts, text: 'Still?' });
    expect(fake.pressForm('U1', ts, 'A')).toContain('payload=');
    await call('chat.update', { channel, ts, text: 'Done', blocks: [] });
    expect(() => fake.pressForm('U1', ts, 'A')).toThrow(/no button/);
  });
});
