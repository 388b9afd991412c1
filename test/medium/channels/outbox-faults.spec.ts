import { jest } from '@jest/globals';
import { Database, type SqlSession } from '../../../src/database/database.js';
import { ChannelAdapters } from '../../../src/modules/channels/platforms/channel-adapters.js';
import { TelegramFake } from '../../fakes/platforms/telegram-fake.js';
import { useChatServer } from '../../support/chat-server.js';
import { startApp } from '../../support/in-process-app.js';
import { MovableClock } from '../../support/movable-clock.js';
import { TelegramWorld } from '../../support/telegram-world.js';
import { waitFor } from '../../support/wait.js';

const MINUTE_MS = 60_000;
/** More than are handled at a time. */
const MANY = 45;

const clock = new MovableClock();
const chats = useChatServer(clock);
let database: Database;
let person = 600;

beforeAll(() => {
  database = chats.server.app.get(Database);
});
beforeEach(() => {
  person += 1;
});
afterEach(() => jest.restoreAllMocks());

/** The next transaction with such a statement fails: at the statement, or after it was done, so that only the response is lost. */
function failNext(statement: RegExp, isDone = false): void {
  const transaction = database.transaction.bind(database);
  let isDue = true;
  jest.spyOn(database, 'transaction').mockImplementation(async (work) => {
    let isMeant = false;
    const result = await transaction((session) => {
      const query: SqlSession['query'] = (sql, params) => {
        if (isDue && statement.test(sql)) isMeant = true;
        if (isMeant && !isDone) throw failed();
        return session.query(sql, params);
      };
      return work({ query, execute: (script) => session.execute(script) });
    });
    if (isMeant) throw failed();
    return result;
  });
  const failed = () => ((isDue = false), new Error('the storage is away'));
}

function press(at: TelegramWorld, id: number): void {
  const from = { id: person, is_bot: false, first_name: 'P' };
  const message = { message_id: 1, date: 1, chat: { id: person, type: 'private' } };
  const data = 'no button of ours';
  at.telegram.push({ callback_query: { id: String(id), from, message, chat_instance: '1', data } }, `user:${person}`);
}

async function statusOf(direction: 'in' | 'out', kind: string): Promise<string | undefined> {
  const sql = 'SELECT status FROM channel_message WHERE chat_id = $1 AND direction = $2 AND kind = $3 ORDER BY seq';
  return (await database.read<{ status: string }>(sql, [String(person), direction, kind]))[0]?.status;
}

/** Whether the chat is released and due at a later time. */
async function isGivenBack(): Promise<boolean> {
  const sql = 'SELECT 1 AS waits FROM channel_chat WHERE chat_id = $1 AND work_at > $2 AND lease_owner IS NULL';
  return (await database.read(sql, [String(person), clock.nowMs()])).length > 0;
}

/** Waits until the chat is to be retried later, then lets that time come. */
async function passTheWait(): Promise<void> {
  await waitFor('the wait for another try', isGivenBack);
  clock.aheadMs += MINUTE_MS;
}

const sendings = () =>
  chats.world.telegram.requests.filter(
    ({ path, body }) => path.endsWith('/sendMessage') && String(body.chat_id) === String(person),
  );

describe('When the storage fails for a moment', () => {
  it('a press of a button is looked after later, though nothing waits to be sent', async () => {
    failNext(/SET "status" = \S+, "reason" = \S+, "updated_at" = \S+ WHERE "seq" = /);
    press(chats.world, 71);
    await passTheWait();
    await waitFor('the press', async () => (await statusOf('in', 'press')) === 'dropped');
  });

  it.each([
    ['is about to be sent', /SET "status" = \S+, "attempts" = "attempts" \+ 1/, true, 0],
    ['was sent', /external_id = COALESCE/, false, 1],
  ])('a message that %s comes to an end, and is not sent again', async (_, statement, isDone, times) => {
    failNext(statement, isDone);
    chats.world.telegram.write(person, 'hello');
    await passTheWait();
    await waitFor('the outcome', async () => (await statusOf('out', 'text')) === 'unknown');
    expect(sendings()).toHaveLength(times);
  });
});

describe('A message that the platform does not take now', () => {
  it('is sent later, also where somebody else took the chat over meanwhile and saw nothing left to do', async () => {
    const adapter = chats.server.app.get(ChannelAdapters, { strict: false }).get('telegram');
    jest.spyOn(adapter, 'send').mockImplementationOnce(async () => {
      await database.transaction(async (session) => {
        const chat = [String(person)];
        await session.query(
          `UPDATE channel_message SET status = 'unknown' WHERE chat_id = $1 AND status = 'sending'`,
          chat,
        );
        await session.query(
          'UPDATE channel_chat SET work_at = NULL, lease_owner = NULL, lease_until = NULL WHERE chat_id = $1',
          chat,
        );
      });
      return { kind: 'later', reason: 'too much', afterMs: 100 };
    });
    chats.world.telegram.write(person, 'hello');
    await waitFor('the answer', () => sendings().length > 0);
    await waitFor('the outcome', async () => (await statusOf('out', 'text')) === 'sent');
    expect(sendings()).toHaveLength(1);
  });
});

describe('A platform that asks for a wait', () => {
  const busy = (retryAfter: string) => ({
    ...TelegramFake.error(500, 'Internal'),
    headers: { 'retry-after': retryAfter },
  });
  const tooMuch = (seconds: number) => TelegramFake.error(429, 'Too Many Requests', { retry_after: seconds });

  it.each([
    ['of nothing', tooMuch(0)],
    ['below nothing', tooMuch(-30)],
    ['of nothing, by a header', busy('0')],
    ['below nothing, by a header', busy('-30')],
    ['that is over', busy('Wed, 21 Oct 2015 07:28:00 GMT')],
    ['of no length', busy('soon')],
  ])('%s is called again no sooner than one that asks for none', async (_, answer) => {
    chats.world.telegram.failNext('sendMessage', answer);
    chats.world.telegram.write(person, 'hello');
    await waitFor('the answer', () => sendings().length > 1);
    const [first, second] = sendings();
    expect(second!.atMs - first!.atMs).toBeGreaterThan(1_500);
  });

  it.each([
    ['of a lifetime', tooMuch(1e300)],
    ['of a year, by a header', busy('31536000')],
    ['until the next century', busy('Wed, 21 Oct 2115 07:28:00 GMT')],
  ])('%s is called again after an hour, if it is worth while', async (_, answer) => {
    chats.world.telegram.failNext('sendMessage', answer);
    chats.world.telegram.write(person, 'hello');
    await waitFor('the wait', isGivenBack);
    const sql = 'SELECT work_at FROM channel_chat WHERE chat_id = $1';
    const [chat] = await database.read<{ work_at: number }>(sql, [String(person)]);
    expect(Number(chat!.work_at) - clock.nowMs()).toBeLessThanOrEqual(60 * MINUTE_MS);
    expect(Number(chat!.work_at) - clock.nowMs()).toBeGreaterThan(58 * MINUTE_MS);
    clock.aheadMs += 61 * MINUTE_MS;
    await waitFor('the last try', () => sendings().length > 1);
  });
});

describe('Presses that come all at once', () => {
  it('are all looked after', async () => {
    const polled = await TelegramWorld.start();
    const alone = await startApp({ env: polled.env });
    try {
      await polled.connect(alone.api, { transport: 'polling' });
      for (let id = 1; id <= MANY; id++) press(polled, id);
      await waitFor('all answers', () => polled.telegram.pressAnswers.length === MANY);
    } finally {
      await alone.stop();
      await polled.close();
    }
  });
});
