import { Database, type SqlValue } from '../../../src/database/database.js';
import { WakeSignal } from '../../../src/queue/wake-signal.js';
import { TelegramFake } from '../../fakes/platforms/telegram-fake.js';
import { WhatsappFake } from '../../fakes/platforms/whatsapp-fake.js';
import {
  createReadyChannel,
  messagesOf,
  setUpWebhook,
  telegramOrder,
  type CreatedChannel,
} from '../../support/channels.js';
import { testDialect } from '../../support/dialect.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { withLocked } from '../../support/locked-rows.js';
import { ok } from '../../support/recording.js';
import { newUpdateId, TELEGRAM_RECEIVER, textUpdate } from '../../support/telegram-updates.js';
import { waitFor } from '../../support/wait.js';

let telegram: TelegramFake;
let server: InProcessApp;
let database: Database;
let channel: CreatedChannel;

beforeAll(async () => {
  telegram = await TelegramFake.start();
  // Agents are offline here, and the chats are told so.
  for (const chat of ['41', '42', '44']) telegram.chats.add(chat);
  server = await startApp({ env: { WAYSTATION_TELEGRAM_API_URL: telegram.url } });
  database = server.app.get(Database, { strict: false });
  channel = await createReadyChannel(server.api, telegramOrder({ config: { bot_token: telegram.token } }));
  ok(await setUpWebhook(server.api, channel.id, server.api.baseUrl));
});
afterAll(async () => {
  await server.stop();
  await telegram.close();
});

async function receive(...updates: object[]): Promise<void> {
  const headers = { 'x-telegram-bot-api-secret-token': telegram.webhook!.secret };
  for (const update of updates) ok(await server.api.post(TELEGRAM_RECEIVER, update, { token: null, headers }));
}

/** Delivers like the platform, which retries if the server was too busy. */
async function deliver(update: object): Promise<void> {
  const headers = { 'x-telegram-bot-api-secret-token': telegram.webhook!.secret };
  await waitFor('the update to be taken', async () => {
    const answer = await server.api.post(TELEGRAM_RECEIVER, update, { token: null, headers });
    return answer.status === 503 ? undefined : ok(answer);
  });
}

async function chatOf(chatId: string): Promise<Record<string, unknown> | undefined> {
  const sql = 'SELECT * FROM channel_chat WHERE channel_id = $1 AND chat_id = $2';
  return (await database.read(sql, [channel.id, chatId]))[0];
}

/** A text that waits to be sent, or was sent. */
async function outbound(channelId: string, chatId: string, status: string, externalId: string | null): Promise<string> {
  const id = `out-${newUpdateId()}`;
  const row: Record<string, SqlValue> = {
    ...{ id, channel_id: channelId, direction: 'out', kind: 'text', dedup_key: id, external_id: externalId },
    ...{ chat_id: chatId, text: 'an answer', status, attempts: 0, is_told: false, created_at: 1, updated_at: 1 },
  };
  const marks = Object.keys(row).map((_, at) => `$${at + 1}`);
  const sql = `INSERT INTO channel_message (${Object.keys(row).join(', ')}) VALUES (${marks.join(', ')})`;
  await database.transaction((session) => session.query(sql, Object.values(row)));
  return id;
}

const rowOf = async (id: string, of = channel.id) =>
  (await messagesOf(server.api, of)).find((message) => message.id === id);

const person = (id: number) => ({ chat: { id, type: 'private' }, from: { id, is_bot: false, first_name: 'P' } });

const membership = (id: number, status: string) => ({
  update_id: newUpdateId(),
  my_chat_member: {
    ...{ ...person(id), date: 1, old_chat_member: { user: { id: 1 }, status: 'member' } },
    new_chat_member: { user: { id: Number(telegram.token.split(':')[0]), is_bot: true }, status },
  },
});

describe('What a message makes', () => {
  it('is a session and a chat with work for now, and a call that wakes who works it off', async () => {
    let calls = 0;
    const end = server.app.get(WakeSignal, { strict: false }).subscribe(() => calls++);
    const startedMs = Date.now();
    await receive(textUpdate('hello', person(41)));
    end();
    expect(calls).toBeGreaterThan(0);
    const threadId = `channel:${channel.id}:41:support`;
    const [session] = await database.read('SELECT * FROM channel_session WHERE thread_id = $1', [threadId]);
    expect(session).toMatchObject({ channel_id: channel.id, agent_name: 'support' });
    expect(Number(session!.created_at)).toBeGreaterThanOrEqual(startedMs);
    expect(await chatOf('41')).toMatchObject({ session_chat_id: '41', closed_reason: null });
    expect(Number((await chatOf('41'))!.last_inbound_at)).toBeGreaterThanOrEqual(startedMs);
  });

  it('is nothing where it was delivered before', async () => {
    const update = textUpdate('once', person(42));
    await receive(update);
    await database.transaction((session) =>
      session.query('UPDATE channel_session SET work_at = NULL WHERE thread_id = $1', [
        `channel:${channel.id}:42:support`,
      ]),
    );
    await receive(update);
    const sql = 'SELECT work_at FROM channel_session WHERE thread_id = $1';
    expect(await database.read(sql, [`channel:${channel.id}:42:support`])).toEqual([{ work_at: null }]);
  });
});

describe('A press of a button', () => {
  it('waits in the lane of its chat and starts no run', async () => {
    const message = { message_id: 9, date: 1, ...person(43) };
    const callback_query = { id: '77', from: person(43).from, message, chat_instance: '1', data: 'x:approve' };
    await receive({ update_id: newUpdateId(), callback_query });
    // It belongs to no question, so it is soon dropped.
    const sql = "SELECT * FROM channel_message WHERE chat_id = '43' AND direction = 'in'";
    const [row] = await database.read<{ payload: string }>(sql);
    expect(row).toMatchObject({ kind: 'press', external_id: '9', thread_id: null, text: '' });
    expect(JSON.parse(row!.payload)).toEqual({ is_private: true, press_id: '77', data: 'x:approve' });
    expect((await chatOf('43'))!.last_inbound_at).not.toBeNull();
  });
});

describe('A chat', () => {
  it('whose person blocks the bot is closed, until the person writes again', async () => {
    await receive(membership(44, 'kicked'));
    expect((await chatOf('44'))!.closed_reason).toContain('blocked');
    await receive(textUpdate('back again', person(44)));
    expect((await chatOf('44'))!.closed_reason).toBeNull();
    await receive(membership(44, 'kicked'), membership(44, 'member'));
    expect((await chatOf('44'))!.closed_reason).toBeNull();
  });

  it('that gets another id goes on in the same thread, with what waits to be sent', async () => {
    const group = (id: number, type: string) => ({ chat: { id, type, title: 'G' } });
    const said = (id: number, type: string) => {
      const entities = [{ type: 'mention', offset: 0, length: 14 }];
      return textUpdate('@WaystationBot hello', { ...group(id, type), entities });
    };
    await receive(said(-50, 'group'));
    const waiting = await outbound(channel.id, '-50', 'queued', null);
    const move = textUpdate('', { ...group(-50, 'group'), text: undefined, migrate_to_chat_id: -10050 });
    await receive(move, move);
    await receive(said(-10050, 'supergroup'));
    expect(await rowOf(waiting)).toMatchObject({ chat_id: '-10050' });
    const rows = await messagesOf(server.api, channel.id, { direction: 'in' });
    const threads = rows.filter(({ chat_id, kind }) => kind === 'message' && ['-50', '-10050'].includes(chat_id!));
    expect(threads.map(({ thread_id }) => thread_id)).toEqual(Array(2).fill(`channel:${channel.id}:-50:support`));
  });
});

describe('A message of ours', () => {
  it('that could not be delivered after all has failed, with the words of the platform', async () => {
    const number = new WhatsappFake();
    const { id } = await createReadyChannel(server.api, { channel_type: 'whatsapp', name: 'x', config: number.config });
    const sent = await outbound(id, '4911', 'sent', 'wamid.1');
    const other = await outbound(id, '4911', 'sent', 'wamid.2');
    const failed = { id: 'wamid.1', status: 'failed', timestamp: '1', recipient_id: '4911' };
    const errors = [{ code: 131047, title: 'Re-engagement message', error_data: { details: 'More than 24 hours' } }];
    const body = number.batch(
      [],
      [
        { ...failed, errors },
        { ...failed, id: 'wamid.2', status: 'read' },
      ],
    );
    const headers = { 'x-hub-signature-256': number.signature(body) };
    for (let i = 0; i < 2; i++) {
      ok(await server.api.post('/v1/channels/webhook/whatsapp', body, { token: null, headers }));
    }
    expect(await rowOf(sent, id)).toMatchObject({ status: 'failed', reason: expect.stringContaining('24 hours') });
    expect(await rowOf(other, id)).toMatchObject({ status: 'sent' });
    const rows = await messagesOf(server.api, id, { direction: 'in' });
    expect(rows.map(({ kind, external_id }) => [kind, external_id])).toEqual([['delivery', 'wamid.1']]);
  });
});

/** SQLite has no other sessions. */
if (testDialect() === 'postgres') {
  describe('A conversation that another session holds locked', () => {
    it('keeps only its own messages from being taken in, and those are delivered again', async () => {
      const headers = { 'x-telegram-bot-api-secret-token': telegram.webhook!.secret };
      const post = (update: object) => server.api.post(TELEGRAM_RECEIVER, update, { token: null, headers });
      await receive(textUpdate('begin', person(60)));
      const held = textUpdate('held', person(60));
      const others = Array.from({ length: 30 }, (_, i) => textUpdate('free', person(2000 + i)));
      await withLocked(server.storage, `channel_session WHERE thread_id LIKE '%:60:%'`, async () => {
        const sinceMs = performance.now();
        const answers = await Promise.all([held, ...others].map(post));
        expect(answers.map(({ status }) => status)).toEqual([503, ...others.map(() => 200)]);
        expect(performance.now() - sinceMs).toBeLessThan(9_000);
      });
      await receive(held);
      expect((await messagesOf(server.api, channel.id)).filter(({ text }) => text === 'held')).toHaveLength(1);
    });
  });
}

describe('A storm of messages', () => {
  it('is stored whole, each once, each chat in its order', async () => {
    const storm = Array.from({ length: 400 }, (_, i) => textUpdate(`s${i}`, person(1000 + (i % 20))));
    await Promise.all([...storm, ...storm].map((update) => deliver(update)));
    const sql =
      "SELECT chat_id, COUNT(*) AS n FROM channel_message WHERE text LIKE 's%' AND direction = 'in' GROUP BY chat_id";
    const counts = await database.read<{ n: number }>(sql);
    expect(counts.map(({ n }) => Number(n))).toEqual(Array(20).fill(20));
  });
});
