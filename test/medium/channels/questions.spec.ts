import { approvalsOf } from '../../support/approvals.js';
import { askingScript } from '../../support/asking-script.js';
import { isWaiting, useChatServer } from '../../support/chat-server.js';
import { waitFor } from '../../support/wait.js';

const ADA = 42;
const chats = useChatServer(undefined, { approvers: [String(ADA)] });

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
});
