import { TelegramFake } from '../../fakes/platforms/telegram-fake.js';
import { approvalsOf } from '../../support/approvals.js';
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
