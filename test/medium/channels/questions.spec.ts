import { Database } from '../../../src/database/database.js';
import { TelegramFake } from '../../fakes/platforms/telegram-fake.js';
import { approvalsOf, decided } from '../../support/approvals.js';
import { askingScript } from '../../support/asking-script.js';
import { isWaiting, useChatServer } from '../../support/chat-server.js';
import { MovableClock } from '../../support/movable-clock.js';
import { waitFor } from '../../support/wait.js';

const ADA = 42;
const BOB = 43;
const TEN_MINUTES_MS = 10 * 60_000;
const clock = new MovableClock();
const chats = useChatServer(clock, { approvers: [String(ADA), String(BOB)] });

async function enable(enabled: boolean): Promise<void> {
  const { world, server } = chats;
  expect((await server.api.send('PATCH', world.path(), { enabled })).status).toBe(200);
}

describe('A question about a tool call', () => {
  it('that opens while its channel is disabled is asked when that is enabled again', async () => {
    const { world, server } = chats;
    const ask = askingScript({ name: 'issue_refund', args: {} });
    let goOn = (): void => undefined;
    world.agent.script = async (run, agent) => {
      await new Promise<void>((resolve) => (goOn = resolve));
      return ask(run, agent);
    };
    world.telegram.write(ADA, 'refund me');
    const run = await waitFor('the run', () => world.agent.runs[0]);
    await enable(false);
    goOn();
    await waitFor('the approval', async () => (await approvalsOf(server.api, run.threadId)).length > 0);
    await waitFor('a look at it', () => isWaiting(server, 'channel_session'));
    await waitFor('nothing to be left to send', async () =>
      (await world.log(server.api)).every(({ status }) => status !== 'queued' && status !== 'sending'),
    );
    await enable(true);
    world.telegram.write(ADA, 'what about it?');
    const shown = await waitFor('the question', () =>
      world.telegram.messages.find(({ buttons }) => buttons.length === 2),
    );
    world.telegram.press(ADA, shown.messageId, 'Approve');
    await waitFor('the answer', () => world.sentTo(ADA).includes('It was approved.'));
  });

  it('that may be lost is asked again at the next message, however long it would rest otherwise', async () => {
    const { world, server } = chats;
    world.agent.script = askingScript({ name: 'issue_refund', args: {} });
    world.telegram.failNext('sendMessage', TelegramFake.error(429, 'Too Many Requests', { retry_after: 2 }));
    world.telegram.failNext('sendMessage', 'break');
    world.telegram.write(BOB, 'refund me again');
    await waitFor('the first try', () => sendings().length === 1);
    clock.aheadMs += TEN_MINUTES_MS;
    await waitFor('the loss', async () =>
      (await world.log(server.api)).some(({ kind, status }) => kind === 'question' && status === 'unknown'),
    );
    expect(sendings()).toHaveLength(2);
    world.telegram.write(BOB, 'what about it?');
    const shown = await waitFor('the question', () =>
      world.telegram.messages.find(({ chatId, buttons }) => chatId === String(BOB) && buttons.length === 2),
    );
    world.telegram.press(BOB, shown.messageId, 'Reject');
    await waitFor('the answer', () => world.sentTo(BOB).includes('It was rejected.'));
  });

  const sendings = () =>
    chats.world.telegram.requests.filter(
      ({ path, body }) => path.endsWith('/sendMessage') && String(body.chat_id) === String(BOB),
    );
});

describe('The Approve button of a question that an earlier version asked', () => {
  const CAROL = 44;

  /** A question as an earlier version stored it. @param noted its note of whether all is shown; undefined for none */
  async function asksAsBefore(args: string, noted?: boolean): Promise<{ id: string; threadId: string }> {
    const { world, server } = chats;
    world.agent.script = askingScript({ name: 'pay', args });
    const before = world.agent.runs.length;
    world.telegram.write(CAROL, 'pay');
    const run = await waitFor('the run', () => world.agent.runs[before]);
    const questions = async () => {
      const sql = `SELECT * FROM channel_message WHERE thread_id = $1 AND kind = 'question' AND status = 'sent' ORDER BY seq DESC`;
      return server.app.get(Database).read<{ id: string; payload: string; run_id: string }>(sql, [run.threadId]);
    };
    const question = await waitFor('the question', async () =>
      (await questions()).find(({ run_id }) => run_id === run.runId),
    );
    const payload = { ...(JSON.parse(question.payload) as Record<string, unknown>), is_whole: noted };
    await server.app.get(Database).transaction(async (session) => {
      const sql = 'UPDATE channel_message SET payload = $1 WHERE id = $2';
      await session.query(sql, [JSON.stringify(payload), question.id]);
    });
    return { id: question.id, threadId: run.threadId };
  }

  function approve(id: string): void {
    const from = { id: ADA, is_bot: false, first_name: 'Ada' };
    const message = { message_id: 1, date: 1, chat: { id: CAROL, type: 'private' } };
    const query = { id: '5', from, message, chat_instance: '1', data: `approve:${id}` };
    chats.world.telegram.push({ callback_query: query }, `user:${ADA}`);
  }

  const notices = () => chats.world.telegram.pressAnswers.map(({ text }) => text);

  it('decides where all was shown', async () => {
    approve((await asksAsBefore('{"to":"Bob"}')).id);
    await waitFor('the answer', () => chats.world.sentTo(CAROL).includes('It was approved.'));
  });

  it.each([
    ['was cut', 'x'.repeat(5_000), undefined],
    ['is now shown otherwise', 'a\u202eb', undefined],
    ['was too large to show, and its note was taken for all of it', 'x'.repeat(1_200_000), true],
  ])('decides nothing where something %s', async (_, args, noted) => {
    const { id, threadId } = await asksAsBefore(args, noted);
    if (args.length < 10) await showRaw(id);
    const before = notices().length;
    approve(id);
    await waitFor('the notice', () =>
      notices()
        .slice(before)
        .some((text) => text.startsWith('Not all of it was shown')),
    );
    const [approval] = await approvalsOf(chats.server.api, threadId);
    expect(approval).toMatchObject({ status: 'pending' });
    await decided(chats.server.api, 'reject', { traceId: approval!.trace_id }, 0);
    await waitFor('the end', async () => (await approvalsOf(chats.server.api, threadId)).length === 0);
  });

  async function showRaw(id: string): Promise<void> {
    const sql = `UPDATE channel_message SET text = REPLACE(text, '\\u202e', $1) WHERE id = $2`;
    await chats.server.app
      .get(Database)
      .transaction(async (session) => void (await session.query(sql, ['\u202e', id])));
  }
});
