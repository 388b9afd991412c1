import { Database } from '../../../src/database/database.js';
import { TelegramFake } from '../../fakes/platforms/telegram-fake.js';
import { useChatServer } from '../../support/chat-server.js';
import { MovableClock } from '../../support/movable-clock.js';
import { waitFor } from '../../support/wait.js';
import { freePort } from '../../support/free-port.js';

const ADA = 42;
const BOB = 43;

describe('A message for an agent that stays away', () => {
  const clock = new MovableClock();
  const chats = useChatServer(clock);

  it('is kept for fifteen minutes; then its person is told, and the message is given up', async () => {
    await chats.world.agent.beat(await freePort());
    chats.world.telegram.write(ADA, 'anybody there?');
    await waitFor('the first word', () => chats.world.sentTo(ADA).length === 1);
    clock.aheadMs = 14 * 60_000;
    await moreTries('anybody there?');
    expect(chats.world.sentTo(ADA)).toHaveLength(1);
    clock.aheadMs = 16 * 60_000;
    await waitFor('the last word', () => chats.world.sentTo(ADA).length === 2);
    expect(chats.world.sentTo(ADA)).toEqual([
      expect.stringMatching(/not reachable at the moment/),
      expect.stringMatching(/could not be reached/),
    ]);
    const [message] = (await chats.world.log(chats.server.api)).filter(({ text }) => text === 'anybody there?');
    expect(message).toMatchObject({ status: 'failed', reason: expect.stringMatching(/not reachable/) });
    await chats.world.agent.beat();
    chats.world.telegram.write(ADA, 'now?');
    await waitFor('the answer', () => chats.world.sentTo(ADA).at(-1) === 'You said: now?');
    expect(chats.world.agent.runs.map(({ message: text }) => text)).toEqual(['now?']);
  });

  it('is kept no longer where the clock was set back by a day meanwhile', async () => {
    await chats.world.agent.beat(await freePort());
    chats.world.telegram.write(BOB, 'anybody here?');
    await waitFor('the first word', () => chats.world.sentTo(BOB).length === 1);
    clock.aheadMs -= 24 * 3_600_000;
    await moreTries('anybody here?');
    expect(chats.world.sentTo(BOB)).toHaveLength(1);
    clock.aheadMs += 16 * 60_000;
    await waitFor('the last word', () => chats.world.sentTo(BOB).length === 2);
    expect(chats.world.sentTo(BOB)[1]).toMatch(/could not be reached/);
  });

  /** Two more attempts, because one may have been in progress. */
  const moreTries = async (text: string) => {
    const before = await triesOf(text);
    await waitFor('more tries', async () => (await triesOf(text)) >= before + 2);
  };
  const triesOf = async (text: string) => {
    const sql = 'SELECT attempts FROM channel_message WHERE text = $1';
    const [row] = await chats.server.app.get(Database).read<{ attempts: number }>(sql, [text]);
    return Number(row?.attempts ?? 0);
  };
});

describe('An answer that its platform does not take', () => {
  const clock = new MovableClock();
  const chats = useChatServer(clock);

  it('waits as long as the platform asks, also after fifteen minutes', async () => {
    const busy = TelegramFake.error(429, 'Too Many Requests', { retry_after: 1 });
    for (let times = 0; times < 3; times++) chats.world.telegram.failNext('sendMessage', busy);
    chats.world.telegram.write(BOB, 'in a crowd');
    await waitFor('a try', () => chats.world.telegram.requests.some(({ path }) => path.endsWith('/sendMessage')));
    clock.aheadMs += 16 * 60_000;
    await waitFor('the answer', () => chats.world.sentTo(BOB).at(-1) === 'You said: in a crowd');
  });

  it('is given up after fifteen minutes, though the clock was set back by a day meanwhile', async () => {
    const broken = TelegramFake.error(500, 'Internal Server Error');
    for (let times = 0; times < 60; times++) chats.world.telegram.failNext('sendMessage', broken);
    const tries = () => chats.world.telegram.requests.filter(({ path }) => path.endsWith('/sendMessage')).length;
    const answer = async () =>
      (await chats.world.log(chats.server.api)).find(
        ({ direction, text }) => direction === 'out' && text === 'You said: hello',
      );
    const began = tries();
    chats.world.telegram.write(ADA, 'hello');
    await waitFor('a try', () => tries() > began);
    clock.aheadMs -= 24 * 3_600_000;
    const before = tries();
    await waitFor('two more', () => tries() >= before + 2);
    expect((await answer())?.status).toMatch(/^(queued|sending)$/);
    clock.aheadMs += 16 * 60_000;
    await waitFor('the end', async () => (await answer())?.status === 'failed');
  });
});
