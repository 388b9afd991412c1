import { FakeAgent } from '../../fakes/fake-agent.js';
import { SlackFake } from '../../fakes/platforms/slack-fake.js';
import { MANY_CALLS } from '../../support/cut-question.js';
import { askingScript } from '../../support/asking-script.js';
import { createReadyChannel, messagesOf, setUpWebhook, type CreatedChannel } from '../../support/channels.js';
import { ok } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const REFUND = { name: 'issue_refund', args: { order: 4711 } };
const BOSS = 'U0BOSS';

const slack = await SlackFake.start();
const agent = await FakeAgent.start();
const server = useServer({ env: { WAYSTATION_SLACK_API_URL: slack.url } });
let channel: CreatedChannel;
let room = '';

beforeAll(async () => {
  const { botToken, signingSecret } = slack.app;
  const config = { bot_token: botToken, signing_secret: signingSecret, approvers: [BOSS] };
  channel = await createReadyChannel(server.api, { channel_type: 'slack', name: 'Team', config });
  ok(await setUpWebhook(server.api, channel.id, 'https://bots.example.com'));
  slack.receiverUrl = `${server.api.baseUrl}/v1/channels/webhook/slack`;
  agent.api = server.api;
  await agent.beat();
});
beforeEach(() => {
  room = `D0ROOM${slack.channels.size}`;
  slack.channels.add(room);
  agent.script = (run) => agent.answer(run, `You said: ${run.message}`);
});
afterAll(() => Promise.all([slack.close(), agent.close()]));

const write = (text: string, more: Record<string, unknown> = {}) =>
  slack.deliver(slack.callback(slack.message('U7', text, { channel: room, ...more })));
const sent = () => slack.messages.filter((message) => message.channel === room);
const texts = () => sent().map(({ text }) => text);
const question = () => waitFor('the question', () => sent().find(({ buttons }) => buttons.length > 0));

/** Calls of chat.postMessage for the room of this test. */
const sendings = () => slack.requests.filter(({ path, body }) => path === '/chat.postMessage' && body.channel === room);

async function outcomeIn(chatId: string) {
  return waitFor('the outcome', async () => {
    const rows = await messagesOf(server.api, channel.id, { direction: 'out' });
    return rows.find((row) => row.chat_id === chatId && !['queued', 'sending'].includes(row.status));
  });
}

describe('An answer on Slack', () => {
  it('reaches the person, written as Slack writes', async () => {
    agent.script = (run) => agent.answer(run, '**Yes** & [more](https://x.test/a)');
    await write('Is it there?');
    await waitFor('the answer', () => sent().length > 0);
    expect(texts()).toEqual(['*Yes* &amp; <https://x.test/a|more>']);
    expect(await outcomeIn(room)).toMatchObject({ status: 'sent', external_id: sent()[0]!.ts });
  });

  it('to a message in a thread comes in the thread, which shows that the agent is at work', async () => {
    const threadTs = '1763600000.000100';
    const isShown = () => slack.statuses.some((sign) => sign.channel === room && sign.threadTs === threadTs);
    agent.script = async (run) => {
      await waitFor('the sign', isShown);
      await agent.answer(run, `You said: ${run.message}`);
    };
    await write('in here', { thread_ts: threadTs });
    await waitFor('the answer', () => sent().length > 0);
    expect(sent()).toMatchObject([{ threadTs, text: 'You said: in here' }]);
  });

  it('begins with what the thread hangs on, which Slack is asked for once', async () => {
    const threadTs = '1763500000.000100';
    slack.history.set(`${room}/${threadTs}`, { user: 'U0BO', text: 'Disk &lt;full&gt;', ts: threadTs });
    await write('fix it', { thread_ts: threadTs });
    await waitFor('the answer', () => sent().length > 0);
    await write('done?', { thread_ts: threadTs });
    await waitFor('the second answer', () => sent().length > 1);
    const [first, second] = agent.runs.filter(({ context }) => context.chat_id === room);
    const author = { id: 'U0BO', name: null };
    expect(first!.context.reply_to).toMatchObject({ message_id: threadTs, author, is_own: false, text: 'Disk <full>' });
    expect(second!.context.reply_to).toMatchObject({ message_id: threadTs, text: null });
    const asked = slack.requests.filter(({ path }) => path.includes('conversations.replies') && path.includes(room));
    expect(asked).toHaveLength(1);
  });

  it('begins all the same where Slack does not say what the thread hangs on', async () => {
    slack.failNext('conversations.replies', 'hang');
    await write('fix it', { thread_ts: '1763500000.000200' });
    await waitFor('the answer', () => texts().includes('You said: fix it'));
    const [run] = agent.runs.filter(({ context }) => context.chat_id === room);
    expect(run!.context.reply_to).toMatchObject({ message_id: '1763500000.000200', text: null, run: null });
  });

  it('is given to a message that was only shared', async () => {
    const share = { is_share: true, author_id: 'U0G', author_name: 'Grace', channel_name: 'incidents', text: 'Help' };
    await write('', { attachments: [{ ...share, from_url: 'https://fake.slack.com/archives/C1/p1' }] });
    await waitFor('the answer', () => texts().includes('You said: Grace in #incidents: Help'));
  });

  it('waits as long as Slack says, and is sent once', async () => {
    const body = { ok: false, error: 'ratelimited' };
    slack.failNext('chat.postMessage', { status: 429, body, headers: { 'retry-after': '2' } });
    await write('hello');
    await waitFor('the answer', () => sent().length > 0);
    const [refused, taken] = sendings();
    expect(taken!.atMs - refused!.atMs).toBeGreaterThanOrEqual(1_900);
    expect(sendings()).toHaveLength(2);
    expect(await outcomeIn(room)).toMatchObject({ status: 'sent', reason: null });
  });

  it('of which Slack itself does not know whether it was posted is not sent again', async () => {
    slack.failNext('chat.postMessage', { status: 200, body: { ok: false, error: 'internal_error' } });
    await write('hello');
    expect(await outcomeIn(room)).toMatchObject({ status: 'unknown', reason: 'internal_error' });
    await write('again');
    await waitFor('the next answer', () => texts().includes('You said: again'));
    expect(sendings()).toHaveLength(2);
  });

  it('in a channel that was archived fails, with the reason', async () => {
    slack.failNext('chat.postMessage', { status: 200, body: { ok: false, error: 'is_archived' } });
    await write('hello');
    expect(await outcomeIn(room)).toMatchObject({ status: 'failed', reason: expect.stringContaining('is_archived') });
  });
});

describe('A tool call that waits for a person on Slack', () => {
  it('is decided by a button, and its message then shows the outcome', async () => {
    agent.script = askingScript(REFUND);
    await write('refund me');
    const asked = await question();
    expect(asked.buttons.map(({ text }) => text)).toEqual(['Approve', 'Reject']);
    expect(asked.text).toContain('"order":4711');
    const form = slack.pressForm(BOSS, asked.ts, 'Approve');
    const late = slack.pressForm(BOSS, asked.ts, 'Reject');
    await slack.deliver(form);
    await waitFor('the answer', () => texts().includes('It was approved.'));
    await waitFor('the outcome', () => asked.text.includes('*Approved* by'));
    expect(asked.buttons).toEqual([]);
    await slack.deliver(late);
    await waitFor('the notice', () => slack.ephemeral.some(({ text }) => text.startsWith('This was decided')));
    expect(texts().filter((text) => text.includes('issue_refund'))).toHaveLength(1);
  });

  it('and does not fit into a question has no Approve button; one that was made up decides nothing', async () => {
    agent.script = askingScript(...MANY_CALLS);
    await write('pay all');
    const asked = await question();
    expect(asked.buttons.map(({ text }) => text)).toEqual(['Reject']);
    expect(asked.text).toContain('pay\\u202eecnef');
    expect(asked.text).not.toMatch(/[\u202e\u2066\u200b]/);
    expect(asked.text).toMatch(/Not all of it fits here.*waystation approvals --json --thread 'channel:/);
    asked.buttons.push({ text: 'Approve', value: asked.buttons[0]!.value.replace('reject', 'approve') });
    await slack.deliver(slack.pressForm(BOSS, asked.ts, 'Approve'));
    await waitFor('the notice', () => slack.ephemeral.some(({ text }) => text.startsWith('Not all of it was shown')));
    await slack.deliver(slack.pressForm(BOSS, asked.ts, 'Reject'));
    await waitFor('the answer', () => texts().includes('It was rejected.'));
    await waitFor('the outcome', () => asked.text.includes('*Rejected* by'));
  });

  it('is not decided by somebody who may not, which only that person sees', async () => {
    agent.script = askingScript(REFUND);
    await write('refund me');
    const asked = await question();
    await slack.deliver(slack.pressForm('U0STRANGER', asked.ts, 'Approve'));
    await waitFor('the notice', () => slack.ephemeral.length > 0 && slack.ephemeral.at(-1)!.user === 'U0STRANGER');
    expect(slack.ephemeral.at(-1)).toMatchObject({ channel: room, text: 'You may not decide this.' });
    expect(asked.buttons).toHaveLength(2);
    await slack.deliver(slack.pressForm(BOSS, asked.ts, 'Reject'));
    await waitFor('the answer', () => texts().includes('It was rejected.'));
  });
});
