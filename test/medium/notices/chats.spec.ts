import { jest } from '@jest/globals';
import { Database } from '../../../src/database/database.js';
import { OutboxQueueRepository } from '../../../src/modules/channels/messages/outbox-queue.repository.js';
import { NoticeReceiver } from '../../fakes/notice-receiver.js';
import { checkpoint, completed, failed, newThreadId, started } from '../../factories/events.js';
import { newRun, toolCall, waiting } from '../../factories/waiting.js';
import { useChatServer } from '../../support/chat-server.js';
import { createNotice, deliveriesOf, NOTICES } from '../../support/notices.js';
import { problemOf } from '../../support/problem.js';
import { ok, record } from '../../support/recording.js';
import { waitFor } from '../../support/wait.js';

const ADA = 42;
const BOSS = 7;
const STRANGER = 99;
const GROUP = -500;
const LONG = Array.from({ length: 900 }, (_, i) => `sentence ${i}.`).join(' ');

const chats = useChatServer(undefined, { approvers: [String(BOSS)] });

const place = (chatId: number) => ({ channel_id: chats.world.channelId, chat_id: String(chatId) });
const events = ['run_completed', 'run_failed', 'approval_waiting'];

async function toChat(chatId: number, more: Record<string, unknown> = {}): Promise<string> {
  const body = { name: 'Chat', chat: place(chatId), events, ...more };
  const made = await chats.server.api.post(NOTICES, body);
  if (made.status !== 201) throw new Error(made.text);
  expect(made.json()).toMatchObject({ url: null, secret: null, chat: { ...place(chatId), topic: null } });
  return made.json<{ id: string }>().id;
}

const sent = (chatId: number, text: string) =>
  waitFor(`"${text}"`, () => chats.world.sentTo(chatId).some((one) => one.includes(text)));

const questionIn = (chatId: number, tool: string) =>
  waitFor(`the question in ${chatId}`, () =>
    chats.world.telegram.messages.find(
      (one) => one.chatId === String(chatId) && one.text.includes(tool) && one.buttons.length === 2,
    ),
  );
const outcomeIn = (chatId: number, tool: string, outcome: string) =>
  waitFor(`the outcome in ${chatId}`, () =>
    chats.world.sentTo(chatId).some((one) => one.includes(tool) && one.includes(outcome)),
  );

/** Somebody writes to the bot and gets a reply. */
async function write(chatId: number): Promise<void> {
  chats.world.telegram.write(chatId, `hello from ${chatId}`);
  await sent(chatId, `hello from ${chatId}`);
}

async function end(answer = 'All is well.'): Promise<void> {
  const id = newThreadId();
  const history = [
    { role: 'user', content: 'How is it?' },
    { role: 'assistant', content: answer },
  ];
  await record(chats.server.api, started(id), checkpoint(id, 0, { history }), completed(id));
}

describe('A notice for a chat', () => {
  beforeAll(async () => {
    await write(ADA);
    await write(BOSS);
    const entities = [{ type: 'bot_command', offset: 0, length: 7 }];
    chats.world.telegram.writeInGroup(GROUP, BOSS, '/status', { entities });
    await sent(GROUP, '/status');
  });

  it('is refused where nobody has written to the bot, and on a channel that is not there', async () => {
    for (const chat of [place(STRANGER), { ...place(ADA), channel_id: 'none' }]) {
      const answer = await chats.server.api.post(NOTICES, { name: 'x', chat, events });
      expect(problemOf(answer, 403).code).toBe('chat_not_allowed');
    }
    const both = { name: 'x', url: 'https://example.com/', chat: place(ADA), events };
    problemOf(await chats.server.api.post(NOTICES, both), 400);
    problemOf(await chats.server.api.post(NOTICES, { name: 'x', events }), 400);
    problemOf(
      await chats.server.api.post(NOTICES, { name: 'x', chat: { channel_id: 'a b', chat_id: '' }, events }),
      400,
    );
  });

  it('gets a sentence and the link, or the answer whole', async () => {
    const plain = await toChat(ADA);
    const id = newThreadId();
    await record(chats.server.api, started(id), failed(id, { error: 'the model timed out' }));
    await sent(ADA, 'A run of support has failed: the model timed out');
    await sent(ADA, `/console/threads/${id}`);
    await chats.server.api.delete(`${NOTICES}/${plain}`);
    const whole = await toChat(ADA, { include_answer: true });
    await end(LONG);
    await sent(ADA, 'sentence 899.');
    expect((await deliveriesOf(chats.server.api, whole)).map(({ status }) => status)).toEqual(['delivered']);
    await chats.server.api.delete(`${NOTICES}/${whole}`);
  });

  it('gets the question with buttons where somebody who may decide has written; the decision counts', async () => {
    const [boss, ada] = [await toChat(BOSS), await toChat(ADA)];
    const run = newRun();
    await record(chats.server.api, waiting(run, 0));
    const question = await waitFor('the question', () =>
      chats.world.telegram.messages.find(({ chatId, buttons }) => chatId === String(BOSS) && buttons.length === 2),
    );
    await sent(ADA, 'support waits for a decision on issue_refund.');
    chats.world.telegram.press(BOSS, question.messageId, 'Approve');
    await waitFor('the decision', async () => {
      const { status } = ok(await chats.server.api.get(`/approvals/${run.traceId}/0?thread_id=${run.threadId}`)).json<{
        status: string;
      }>();
      return status === 'approved';
    });
    for (const id of [boss, ada]) await chats.server.api.delete(`${NOTICES}/${id}`);
  });

  it('gets the question also where another chat of the channel gets it, and each learns the outcome', async () => {
    const notices = [await toChat(BOSS), await toChat(GROUP)];
    const run = newRun();
    await record(chats.server.api, waiting(run, 0, { pending_tool_calls: [toolCall('open_gate')] }));
    await questionIn(BOSS, 'open_gate');
    const { messageId } = await questionIn(GROUP, 'open_gate');
    chats.world.telegram.press(BOSS, messageId, 'Approve');
    for (const chatId of [BOSS, GROUP]) await outcomeIn(chatId, 'open_gate', 'Approved');
    for (const id of notices) await chats.server.api.delete(`${NOTICES}/${id}`);
  });

  it('does not take the question from the chat whose message waits for it', async () => {
    const notice = await toChat(GROUP);
    const calls = [toolCall('close_gate')];
    const { script } = chats.world.agent;
    chats.world.agent.script = async ({ threadId, runId }, agent) => {
      const ids = { thread_id: threadId, trace_id: runId, agent_id: agent.name };
      const fields = { agent_id: agent.name, pending_tool_calls: calls };
      await agent.report({ type: 'thread_started', data: ids }, waiting({ threadId, traceId: runId }, 0, fields));
    };
    chats.world.telegram.write(BOSS, 'close it');
    await questionIn(BOSS, 'close_gate');
    const { messageId } = await questionIn(GROUP, 'close_gate');
    chats.world.telegram.press(BOSS, messageId, 'Reject');
    for (const chatId of [BOSS, GROUP]) await outcomeIn(chatId, 'close_gate', 'Rejected');
    chats.world.agent.script = script;
    await chats.server.api.delete(`${NOTICES}/${notice}`);
  });

  it('hears nothing twice of the runs that it has started', async () => {
    const id = await toChat(ADA, { include_answer: true });
    const text = 'what about me?';
    chats.world.telegram.write(ADA, text);
    await sent(ADA, text);
    await waitFor('the news', async () => (await deliveriesOf(chats.server.api, id, 'delivered')).length === 1);
    await end('The last word.');
    await sent(ADA, 'The last word.');
    expect(chats.world.sentTo(ADA).filter((one) => one.includes(text))).toHaveLength(1);
    await chats.server.api.delete(`${NOTICES}/${id}`);
  });

  it('hears of the runs that it has started what only notices tell', async () => {
    const id = await toChat(ADA, { events: ['budget_warning'] });
    const { script } = chats.world.agent;
    chats.world.agent.script = async (run, agent) => {
      const ids = { thread_id: run.threadId, trace_id: run.runId, agent_id: agent.name };
      const data = { ...ids, run_cost_usd: 0.9, budget_usd: 1 };
      await agent.report({ type: 'thread_started', data: ids }, { type: 'budget_warning', data });
      await script(run, agent);
    };
    chats.world.telegram.write(ADA, 'spend much');
    await sent(ADA, 'budget');
    chats.world.agent.script = script;
    await chats.server.api.delete(`${NOTICES}/${id}`);
  });

  it('gets its message in the transaction that notes it as delivered', async () => {
    const id = await toChat(ADA, { include_answer: true });
    const queue = chats.server.app.get(OutboxQueueRepository, { strict: false });
    const enqueue = queue.enqueue.bind(queue);
    let crashes = 0;
    const crashing = jest.spyOn(queue, 'enqueue').mockImplementation(async (...draft) => {
      await enqueue(...draft);
      crashes += 1;
      throw new Error('the server dies between both');
    });
    await end('Said once.');
    await waitFor('the crash', () => crashes > 0);
    const queued = `SELECT 1 AS found FROM channel_message WHERE direction = 'out' AND text LIKE '%Said once.%'`;
    const database = chats.server.app.get(Database, { strict: false });
    const look = async () => [
      (await database.read(queued)).length,
      (await deliveriesOf(chats.server.api, id)).map(({ status }) => status).join(),
    ];
    expect(await look()).toEqual([0, 'waiting']);
    crashing.mockRestore();
    await chats.server.api.send('PATCH', `${NOTICES}/${id}`, { enabled: true });
    await sent(ADA, 'Said once.');
    expect(await look()).toEqual([1, 'delivered']);
    await chats.server.api.delete(`${NOTICES}/${id}`);
  });

  it('can be tested', async () => {
    const id = await toChat(ADA);
    const tested = ok(await chats.server.api.post(`${NOTICES}/${id}/test`)).json();
    expect(tested).toMatchObject({ delivered: true, status: null, error: null });
    await sent(ADA, 'This is a test of the notice Chat.');
    expect(problemOf(await chats.server.api.post(`${NOTICES}/${id}/secret`), 409).code).toBe('no_secret');
    await chats.server.api.delete(`${NOTICES}/${id}`);
  });
});

describe('A notice for a URL that asks for answers', () => {
  it('gets what the agent said last, up to 16 KiB, the same at each attempt', async () => {
    const receiver = await NoticeReceiver.start();
    await createNotice(chats.server.api, receiver.url, { events: ['run_completed'], include_answer: true });
    let calls = 0;
    receiver.answer = (_request, response) => response.writeHead((calls += 1) === 1 ? 503 : 204).end();
    await end('ä'.repeat(10_000));
    await waitFor('the second attempt', () => receiver.calls.length === 2);
    const [one, other] = receiver.calls;
    expect(one!.event.data.answer).toBe('ä'.repeat(8_192));
    expect([other!.id, other!.body]).toEqual([one!.id, one!.body]);
    await receiver.close();
  });
});
