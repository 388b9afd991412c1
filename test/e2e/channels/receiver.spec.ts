import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import zlib from 'node:zlib';
import { TelegramFake } from '../../fakes/platforms/telegram-fake.js';
import type { Answer } from '../../support/api-client.js';
import {
  bind,
  CHANNELS,
  createReadyChannel,
  messagesOf,
  patch,
  setUpWebhook,
  telegramOrder,
  type CreatedChannel,
  type MessageRecord,
} from '../../support/channels.js';
import { problemOf } from '../../support/problem.js';
import { ok } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';
import { newUpdateId, ofGroup, TELEGRAM_RECEIVER, textUpdate } from '../../support/telegram-updates.js';

const telegram = await TelegramFake.start();
const server = useServer({ env: { WAYSTATION_TELEGRAM_API_URL: telegram.url, WAYSTATION_LOG_LEVEL: 'debug' } });
let hanging: Server;
let channel: CreatedChannel;
let secret: string;

beforeAll(async () => {
  hanging = createServer(() => undefined);
  await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve));
  channel = await createReadyChannel(server.api, telegramOrder({ config: { bot_token: telegram.token } }));
  ok(await setUpWebhook(server.api, channel.id, server.api.baseUrl));
  secret = telegram.webhook!.secret;
});
afterAll(async () => {
  hanging.closeAllConnections();
  hanging.close();
  await telegram.close();
});

function post(body: string | Buffer | object, headers: Record<string, string> = {}): Promise<Answer> {
  const proof = { 'x-telegram-bot-api-secret-token': secret };
  return server.api.post(TELEGRAM_RECEIVER, body, { token: null, headers: { ...proof, ...headers } });
}

/** The log's rows for the texts sent now. */
async function logged(...updates: object[]): Promise<MessageRecord[]> {
  const before = new Set((await messagesOf(server.api, channel.id)).map(({ id }) => id));
  for (const update of updates) ok(await post(update));
  return (await messagesOf(server.api, channel.id, { direction: 'in' })).filter(({ id }) => !before.has(id));
}

async function withChanges<T>(changes: object, work: () => Promise<T>): Promise<T> {
  ok(await patch(server.api, channel.id, changes));
  const restore = { session_mode: 'per_chat', routing_mode: 'single', enabled: true };
  return work().finally(() => patch(server.api, channel.id, restore));
}

describe('A message', () => {
  it('is stored for the agent and the thread of its chat', async () => {
    const [row] = await logged(textUpdate('hello 👋'));
    expect(row).toMatchObject({
      ...{ direction: 'in', kind: 'message', external_id: expect.any(String), chat_id: '7', user_id: '7' },
      ...{ user_name: 'Kim', text: 'hello 👋', agent_name: 'support', run_id: null },
      thread_id: `channel:${channel.id}:7:support`,
    });
  });

  it('is stored once, however often it is delivered, also at the same time', async () => {
    const update = textUpdate('again');
    const rows = await logged(update, update);
    const twice = await Promise.all(Array.from({ length: 20 }, () => post(update)));
    expect(twice.every(({ status }) => status === 200)).toBe(true);
    expect(rows).toHaveLength(1);
    const all = await messagesOf(server.api, channel.id);
    expect(all.filter(({ text }) => text === 'again')).toHaveLength(1);
  });

  it('is answered within 100 ms with nothing, while agents and platforms hang', async () => {
    const { port } = hanging.address() as AddressInfo;
    const beat = (agent_id: string) => {
      const data = { agent_id, endpoint: `http://127.0.0.1:${port}` };
      return server.api.post('/v1/runners/events', { events: [{ type: 'heartbeat', data }] });
    };
    ok(await beat('support'));
    const [times, pulses]: [number[], number[]] = [[], []];
    for (let i = 0; i < 30; i++) {
      const startedMs = performance.now();
      expect(ok(await post(textUpdate(`quick ${i}`))).text).toBe('');
      times.push(performance.now() - startedMs);
      // What any small write takes now.
      const beatenMs = performance.now();
      ok(await beat('somebody else'));
      pulses.push(performance.now() - beatenMs);
    }
    expect(medianOf(times)).toBeLessThan(100 + 5 * medianOf(pulses));
  });

  it('may come compressed, in any content type, and under any host name', async () => {
    const body = JSON.stringify(textUpdate('compressed'));
    ok(await post(zlib.gzipSync(body), { 'content-encoding': 'gzip', 'content-type': 'text/plain' }));
    ok(await post(textUpdate('elsewhere'), { host: 'bots.example.com' }));
    const texts = (await messagesOf(server.api, channel.id)).map(({ text }) => text);
    expect(texts).toEqual(expect.arrayContaining(['compressed', 'elsewhere']));
  });

  it.each([
    ['[image]', { photo: [{ file_id: 'x', width: 1, height: 1 }] }],
    ['[voice message, 7 s]', { voice: { file_id: 'v', duration: 7 } }],
    ['[document: invoice.pdf]', { document: { file_id: 'd', file_name: '../invoice.pdf' } }],
    ['[sticker: 👍]', { sticker: { file_id: 's', emoji: '👍' } }],
    ['[location: 1.5, 2]', { location: { latitude: 1.5, longitude: 2 } }],
  ])('without text starts a run all the same, and says what came: %s', async (text, content) => {
    const [row] = await logged(textUpdate('', { text: undefined, ...content }));
    expect(row).toMatchObject({ text, agent_name: 'support', thread_id: `channel:${channel.id}:7:support` });
  });

  it.each([
    ['no text', textUpdate('  \n ')],
    ['not addressed to the bot', textUpdate('chatter', ofGroup(-5))],
    ['ignored: edited_message', { update_id: newUpdateId(), edited_message: textUpdate('x').message }],
    ['ignored: channel_post', { update_id: newUpdateId(), channel_post: textUpdate('x').message }],
    ['ignored: something_new', { update_id: newUpdateId(), something_new: { a: 1 } }],
  ])('that starts nothing is acknowledged and shown as dropped: %s (%#)', async (reason, update) => {
    const [row] = await logged(update);
    expect(row).toMatchObject({ status: 'dropped', reason, text: reason === 'no text' ? expect.any(String) : '' });
    expect(row).toMatchObject({ thread_id: null, agent_name: null });
  });

  it('with what no database can hold is stored all the same', async () => {
    const [row] = await logged(
      textUpdate('a\u0000b \ud800 c', { from: { id: 7, is_bot: false, first_name: 'K\u0000im' } }),
    );
    expect(row).toMatchObject({
      text: expect.stringMatching(/^a.?b \ufffd c$/),
      user_name: expect.stringMatching(/^K.?im$/),
    });
  });

  it('of a channel that is disabled is dropped; of one without agents, too', async () => {
    const rows = await withChanges({ enabled: false }, () => logged(textUpdate('disabled')));
    expect(rows).toMatchObject([{ status: 'dropped', reason: 'the channel is disabled' }]);
    await server.api.delete(`${CHANNELS}/${channel.id}/agents/support`);
    expect(await logged(textUpdate('nobody'))).toMatchObject([{ status: 'dropped', reason: 'no agent is bound' }]);
    await bind(server.api, channel.id, { agent_name: 'support' });
  });
});

describe('A request without proof', () => {
  it.each([
    ['no header', {}],
    ['an empty one', { 'x-telegram-bot-api-secret-token': '' }],
    ['another secret', { 'x-telegram-bot-api-secret-token': 'x'.repeat(43) }],
    ['a long one', { 'x-telegram-bot-api-secret-token': 'x'.repeat(10_000) }],
    ['the machine secret', { authorization: 'Bearer x' }],
  ])('is a 401 and nothing happens: %s', async (_, headers) => {
    const known = async () => (await messagesOf(server.api, channel.id, { direction: 'in' })).map(({ id }) => id);
    const before = await known();
    const answer = await server.api.post(TELEGRAM_RECEIVER, textUpdate('forged'), { token: null, headers });
    expect(problemOf(answer, 401).code).toBe('unproven');
    expect(await known()).toEqual(before);
  });

  it('is counted: too many from one address are told so, and who can prove something is let in all the same', async () => {
    const forged = () => server.api.post(TELEGRAM_RECEIVER, textUpdate('forged'), { token: null });
    const statuses: number[] = [];
    for (let i = 0; i < 80; i++) statuses.push((await forged()).status);
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    const last = await forged();
    problemOf(last, 429);
    expect(Number(last.headers['retry-after'])).toBeGreaterThan(0);
    expect(await logged(textUpdate('still here'))).toHaveLength(1);
  });

  it('to an unknown platform is a 404, whatever it holds', async () => {
    for (const platform of ['discord', 'Telegram', 'x%00y', '__proto__', 'verify', 'agents']) {
      expect(problemOf(await server.api.post(`/v1/channels/webhook/${platform}`, {}, { token: null }), 404).code).toBe(
        'unknown_platform',
      );
    }
    problemOf(await server.api.send('PUT', TELEGRAM_RECEIVER, {}, { token: null }), 405);
  });
});

describe('Junk', () => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  it.each([
    ...['', 'not json', '{', 'null', '[]', '7', '"x"', '{}', deep, `{"update_id":1,"message":${deep}}`, '\u0000'],
    ...[`{"update_id":1e999}`, `{"update_id":"x","message":{"chat":7}}`, '{"__proto__":{"message":1}}'],
    ...[JSON.stringify(textUpdate('x', { chat: null })), JSON.stringify(textUpdate('x', { from: [] }))],
    JSON.stringify(textUpdate('x', { chat: { id: 'y'.repeat(100_000), type: 'private' } })),
  ])('with the right secret is acknowledged, never an internal error (%#)', async (body) => {
    const answer = await post(body);
    expect([answer.status, answer.text]).toEqual([200, '']);
  });

  it('that is too large is a 413, that cannot be read a 4xx', async () => {
    problemOf(await post(Buffer.alloc(4 * 1024 * 1024 + 1, 0x20)), 413);
    ok(await post(Buffer.alloc(4 * 1024 * 1024, 0x20)));
    const bomb = zlib.gzipSync(Buffer.alloc(20_000_000, 0x20));
    problemOf(await post(bomb, { 'content-encoding': 'gzip' }), 413);
    problemOf(await post('x', { 'content-encoding': 'gzip' }), 400);
    problemOf(await post('x', { 'content-encoding': 'zstd' }), 415);
  });
});

describe('Secrets of channels', () => {
  it('and codes and texts are in no log line of the server', () => {
    const { printed } = server.process;
    for (const hidden of [telegram.token, telegram.token.split(':')[1]!, secret, channel.verification_code]) {
      expect(printed).not.toContain(hidden);
    }
    expect(printed).not.toContain('hello 👋');
  });

  it('are in no answer', async () => {
    for (const path of [CHANNELS, `${CHANNELS}/${channel.id}`, `${CHANNELS}/${channel.id}/messages?limit=200`]) {
      const { text } = ok(await server.api.get(path));
      expect(text).not.toContain(telegram.token.split(':')[1]);
      expect(text).not.toContain(secret);
    }
  });
});

function medianOf(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)]!;
}
