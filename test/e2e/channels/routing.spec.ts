import { TelegramFake } from '../../fakes/platforms/telegram-fake.js';
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
import { ok } from '../../support/recording.js';
import { ofGroup, TELEGRAM_RECEIVER, textUpdate } from '../../support/telegram-updates.js';
import { useServer } from '../../support/test-server.js';

const telegram = await TelegramFake.start();
const server = useServer({ env: { WAYSTATION_TELEGRAM_API_URL: telegram.url } });
let channel: CreatedChannel;

beforeAll(async () => {
  channel = await createReadyChannel(server.api, telegramOrder({ config: { bot_token: telegram.token } }));
  ok(await setUpWebhook(server.api, channel.id, server.api.baseUrl));
});
afterAll(() => telegram.close());

/** The log's rows for what is sent now. */
async function logged(...updates: object[]): Promise<MessageRecord[]> {
  const before = new Set((await messagesOf(server.api, channel.id)).map(({ id }) => id));
  const headers = { 'x-telegram-bot-api-secret-token': telegram.webhook!.secret };
  for (const update of updates) ok(await server.api.post(TELEGRAM_RECEIVER, update, { token: null, headers }));
  return (await messagesOf(server.api, channel.id, { direction: 'in' })).filter(({ id }) => !before.has(id));
}

async function withChanges<T>(changes: object, work: () => Promise<T>): Promise<T> {
  ok(await patch(server.api, channel.id, changes));
  const restore = { session_mode: 'per_chat', routing_mode: 'single' };
  return work().finally(() => patch(server.api, channel.id, restore));
}

describe('The thread of a message', () => {
  const threadsOf = async (...updates: object[]) => (await logged(...updates)).map(({ thread_id }) => thread_id);
  const from = (id: number) => ({ from: { id, is_bot: false, first_name: `U${id}` } });
  const place = () => `channel:${channel.id}`;
  const said = (text: string, id: number, chat: number) =>
    textUpdate(`@WaystationBot ${text}`, {
      ...from(id),
      ...ofGroup(chat),
      entities: [{ type: 'mention', offset: 0, length: 14 }],
    });

  it('is one for each chat, and topic in it', async () => {
    const topic = { is_topic_message: true, message_thread_id: 12 };
    const inTopic = said('c', 8, -9);
    Object.assign(inTopic.message, topic);
    expect(await threadsOf(said('a', 7, -9), said('b', 8, -9), inTopic, said('d', 7, -10))).toEqual([
      ...[`${place()}:-9:support`, `${place()}:-9:support`, `${place()}:-9:topic:12:support`, `${place()}:-10:support`],
    ]);
  });

  it('is that of the chat also for a reply with the mention alone; without a reply, that says nothing', async () => {
    const reply_to_message = {
      message_id: 77,
      date: 1,
      from: { id: 8, is_bot: false, first_name: 'Bo' },
      text: 'Help?',
    };
    const pointing = said('', 7, -9);
    Object.assign(pointing.message, { reply_to_message });
    const [first, second] = await logged(pointing, said('', 7, -9));
    const rows = [first, second].map((row) => [row!.status === 'dropped' ? row!.reason : row!.text, row!.thread_id]);
    expect(rows).toEqual(
      expect.arrayContaining([
        ['[mention]', `${place()}:-9:support`],
        ['no text', null],
      ]),
    );
  });

  it('is one for each person in a chat where the mode says so', async () => {
    const threads = await withChanges({ session_mode: 'per_user' }, () =>
      threadsOf(said('a', 7, -9), said('b', 8, -9), said('c', 7, -9)),
    );
    expect(threads).toEqual([7, 8, 7].map((id) => `${place()}:-9:user:${id}:support`));
  });

  it('is one for each message where the mode says so', async () => {
    const threads = await withChanges({ session_mode: 'per_message' }, () =>
      threadsOf(textUpdate('a', { message_id: 501 }), textUpdate('b', { message_id: 502 })),
    );
    expect(threads).toEqual([501, 502].map((id) => `${place()}:7:message:${id}:support`));
  });
});

describe('Commands', () => {
  beforeAll(async () => {
    await bind(server.api, channel.id, { agent_name: 'researcher', command: 'Research' });
  });
  afterAll(() => server.api.delete(`${CHANNELS}/${channel.id}/agents/researcher`));

  const routed = async (...texts: string[]) => {
    const updates = texts.map((text) => {
      const length = /^\/\S+/.exec(text)?.[0].length ?? 0;
      return textUpdate(text, length > 0 ? { entities: [{ type: 'bot_command', offset: 0, length }] } : {});
    });
    return (await logged(...updates)).map(({ agent_name, text }) => [agent_name, text]);
  };

  it('lead to their agents, without the command word, where the mode says so', async () => {
    const rows = await withChanges({ routing_mode: 'command' }, () =>
      routed(
        '/research  the moon\nand stars',
        '/RESEARCH it',
        '/research',
        '/start',
        '/researcher x',
        'research y',
        'hi /research z',
      ),
    );
    expect(rows).toEqual([
      ['researcher', 'the moon\nand stars'],
      ['researcher', 'it'],
      ['researcher', '/research'],
      ['support', '/start'],
      ['support', '/researcher x'],
      ['support', 'research y'],
      ['support', 'hi /research z'],
    ]);
  });

  it('are ordinary messages otherwise', async () => {
    expect(await routed('/research the moon', '/start')).toEqual([
      ['support', '/research the moon'],
      ['support', '/start'],
    ]);
  });
});
