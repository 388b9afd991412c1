import type { Invocation, RunScript } from '../../fakes/fake-agent.js';
import { SlackFake, type SlackMessage } from '../../fakes/platforms/slack-fake.js';
import { TelegramFake } from '../../fakes/platforms/telegram-fake.js';
import { visible, type TelegramMessage } from '../../fakes/platforms/telegram-rules.js';
import { WhatsappFake, type WhatsappMessage } from '../../fakes/platforms/whatsapp-fake.js';
import { questionCall } from '../../factories/asking.js';
import { REFUND } from '../../factories/waiting.js';
import { approvalOf, approvalsOf, decided } from '../../support/approvals.js';
import { decisionOf } from '../../support/asking-script.js';
import { connectWhatsapp, createReadyChannel, messagesOf, setUpWebhook } from '../../support/channels.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { MovableClock } from '../../support/movable-clock.js';
import { ok } from '../../support/recording.js';
import { TelegramWorld } from '../../support/telegram-world.js';
import { waitFor } from '../../support/wait.js';

type Values = Record<string, unknown>;

/** The approvers: each test on Telegram has its own, who writes to the bot. */
const ADAS = Array.from({ length: 20 }, (_, i) => 100 + i);
const BOSS = 7;
const STRANGER = 8;

const clock = new MovableClock();
let world: TelegramWorld;
let whatsapp: WhatsappFake;
let slack: SlackFake;
let server: InProcessApp;
let ada = ADAS[0]!;
/** Ids of the channels on WhatsApp and Slack. */
let shop = '';
let team = '';

beforeAll(async () => {
  world = await TelegramWorld.start();
  whatsapp = await WhatsappFake.start();
  slack = await SlackFake.start();
  const addresses = { WAYSTATION_WHATSAPP_API_URL: whatsapp.url, WAYSTATION_SLACK_API_URL: slack.url };
  server = await startApp({ env: { ...world.env, ...addresses }, clock });
  await world.connect(server.api, { approvers: [...ADAS, BOSS].map(String), escalation_chat: String(BOSS) });
  shop = (await connectWhatsapp(server.api, whatsapp, { approvers: ['4900'] })).id;
  const config = { bot_token: slack.app.botToken, signing_secret: slack.app.signingSecret, approvers: ['U7'] };
  team = (await createReadyChannel(server.api, { channel_type: 'slack', name: 'Team', config })).id;
  ok(await setUpWebhook(server.api, team, 'https://bots.example.com'));
  slack.receiverUrl = `${server.api.baseUrl}/v1/channels/webhook/slack`;
});
beforeEach(() => {
  ada += 1;
});
afterAll(async () => {
  await server?.stop();
  await Promise.all([world?.close(), whatsapp?.close(), slack?.close()]);
});

/** The message `ask` begins a run that asks and then reports the answer; all other messages get a plain reply. */
function asks(questions: readonly Values[], fields: Values = {}): RunScript {
  return async (run, agent) => {
    if (run.message.replace(/^@\w+ /, '') !== 'ask') return agent.answer(run, `You said: ${run.message.slice(0, 50)}`);
    const own = { thread_id: run.threadId, trace_id: run.runId, agent_id: agent.name, step_index: 0 };
    const waits = { status: 'waiting_for_approval', pending_tool_calls: [questionCall(questions)] };
    const { threadId: thread_id, runId: trace_id } = run;
    await agent.report(
      { type: 'thread_started', data: { thread_id, trace_id, agent_id: agent.name } },
      { type: 'checkpoint', data: { ...own, ...waits, approval_features: ['answer'], ...fields } },
    );
    const status = await decisionOf(run, agent, run.runId);
    await agent.answer(run, `${status}: ${JSON.stringify(await answersOf(run))}`);
  };
}

async function answersOf({ runId: traceId, threadId }: Invocation): Promise<unknown> {
  const { tool_calls: calls } = await approvalOf(server.api, { traceId }, 0, { thread_id: threadId });
  return (calls as unknown as { answers?: unknown }[])[0]!.answers ?? null;
}

const optionsOf = (count: number) => Array.from({ length: count }, (_, i) => ({ label: `Way ${i + 1}` }));
const WHICH = { text: 'Which *colour*?', options: [{ label: 'Red' }, { label: 'Blue', value: 'b' }] };

const inChat = (chatId: number) => world.telegram.messages.filter((one) => one.chatId === String(chatId));
const questionsIn = (chatId: number) => inChat(chatId).filter(({ text }) => / asks:|still waits/.test(text));
const runsOf = (user: number) => world.agent.runs.filter(({ context }) => context.user_id === String(user));

/** Waits until the platform has told the server the message's id; people reply only afterwards. */
async function allSent(channelId: string): Promise<void> {
  await waitFor('the ids of all messages', async () => {
    const sent = await messagesOf(server.api, channelId, { direction: 'out' });
    return sent.every(({ status }) => !['queued', 'sending'].includes(status));
  });
}

async function ask(script: RunScript, user = ada): Promise<TelegramMessage> {
  world.agent.script = script;
  world.telegram.write(user, 'ask');
  const question = await waitFor('the question', () => questionsIn(user)[0]);
  await allSent(world.channelId);
  return question;
}

const says = (text: string, user = ada) => waitFor(`"${text}"`, () => world.sentTo(user).includes(text));
const labelsOf = ({ buttons }: TelegramMessage) => buttons.map(({ text }) => text);

/** A reply to a message of the bot, in a private chat. */
function reply({ messageId, text: quoted }: TelegramMessage, text: string, user = ada): void {
  const from = { id: Number(world.telegram.token.split(':')[0]), is_bot: true, first_name: 'Waystation' };
  const message = { message_id: messageId, date: 1, chat: { id: user, type: 'private' }, from, text: quoted };
  world.telegram.write(user, text, { reply_to_message: message });
}

/** Presses a button that may not exist. */
function pressData(data: string, user = ada): void {
  const from = { id: user, is_bot: false, first_name: `User ${user}` };
  const message = { message_id: 1, date: 1, chat: { id: user, type: 'private' } };
  world.telegram.push({ callback_query: { id: `${data}`, from, message, chat_instance: '1', data } }, `user:${user}`);
}

describe('A question of an agent on Telegram', () => {
  it('has a button for each option, and none that approves', async () => {
    const shown = await ask(asks([WHICH]));
    expect(labelsOf(shown)).toEqual(['Red', 'Blue', 'Decline']);
    expect(shown.buttons[1]!.data).toMatch(/^option-2:[0-9a-f-]{36}$/);
    expect(visible(shown.text)).toContain('Which *colour*?\n1. Red\n2. Blue');
    world.telegram.press(STRANGER, shown.messageId, 'Blue');
    world.telegram.press(ada, shown.messageId, 'Blue');
    await says('approved: {"q0":"b"}');
    await waitFor('the outcome', () => shown.text.includes(`Answered by User ${ada}: Blue`));
    expect(world.telegram.pressAnswers.map(({ text }) => text)).toEqual(
      expect.arrayContaining(['You may not decide this.', 'Answered.']),
    );
  });

  it('is never answered by an approval, nor by an option that was not offered', async () => {
    const shown = await ask(asks([{ ...WHICH, multiple: true }]));
    expect(labelsOf(shown)).toEqual(['Decline']);
    const id = shown.buttons[0]!.data.slice('reject:'.length);
    const before = world.telegram.pressAnswers.length;
    pressData(`approve:${id}`);
    await waitFor('the notice', () =>
      world.telegram.pressAnswers.some(({ text }) => text.startsWith('This is a question')),
    );
    pressData(`option-1:${id}`);
    await waitFor('both notices', () => world.telegram.pressAnswers.length === before + 2);
    expect(await approvalsOf(server.api, runsOf(ada)[0]!.threadId)).toMatchObject([{ status: 'pending' }]);
    world.telegram.press(ada, shown.messageId, 'Decline');
    await says('rejected: null');
    await waitFor('the outcome', () => shown.text.includes(`Declined by User ${ada}`));
  });

  it('is answered by the next text, after a hint where that is no answer', async () => {
    const shown = await ask(asks([{ text: 'Which way?', options: optionsOf(11) }]));
    expect(labelsOf(shown)).toEqual(['Decline']);
    expect(shown.text).toContain('11. Way 11');
    world.telegram.write(ada, 'the short one');
    await says('That is no answer to “Which way?”. Possible: a number from 1 to 11 or a label.');
    world.telegram.write(ada, 'way 11');
    await says('approved: {"q0":"Way 11"}');
    expect(runsOf(ada)).toHaveLength(1);
  });

  it('takes buttons and own words where options are not all', async () => {
    const question = { ...WHICH, free_text: true };
    expect(labelsOf(await ask(asks([question])))).toEqual(['Red', 'Blue', 'Decline']);
    world.telegram.write(ada, 'Green, like grass');
    await says('approved: {"q0":"Green, like grass"}');
  });

  it('takes a long text as it is; the one behind it is a message of its own', async () => {
    await ask(asks([{ text: 'What happened?' }]));
    const story = 'It rained. '.repeat(300).trim();
    world.telegram.write(ada, story);
    await says(`approved: ${JSON.stringify({ q0: story })}`);
    world.telegram.write(ada, 'and more');
    await says('You said: and more');
    expect(runsOf(ada).map(({ message }) => message)).toEqual(['ask', 'and more']);
  });

  it('with several parts takes a reply, one line each; other texts wait behind it', async () => {
    const several = [{ ...WHICH, id: 'c', multiple: true }, { text: 'Why?' }, { text: 'More?', required: false }];
    const shown = await ask(asks(several));
    expect(shown.text).toContain('with 3 lines');
    world.telegram.write(ada, 'hello');
    reply(shown, '3\nbecause');
    await waitFor('the hint', () => world.sentTo(ada).some((text) => text.startsWith('Line 1: That is no answer')));
    reply(shown, '2,1\nbecause');
    await says('approved: {"c":["Red","b"],"q1":"because"}');
    await says('You said: hello');
    await waitFor('the outcome', () => shown.text.includes('Red, Blue, because'));
  });

  it('is not answered by others: their reply is refused, their next text waits', async () => {
    const shown = await ask(asks([{ text: 'May I know your name?' }]), STRANGER);
    world.telegram.write(STRANGER, 'Bob');
    reply(shown, 'Bob', STRANGER);
    await says('You may not decide this.', STRANGER);
    expect(runsOf(STRANGER)).toHaveLength(1);
    world.telegram.press(BOSS, shown.messageId, 'Decline');
    await says('rejected: null', STRANGER);
    await says('You said: Bob', STRANGER);
  });

  it('that was answered elsewhere takes nothing more', async () => {
    const shown = await ask(asks([WHICH]));
    const { runId: traceId } = runsOf(ada)[0]!;
    const body = { answers: [{ index: 0, values: { q0: 'Red' } }] };
    ok(await server.api.post(`/approvals/${traceId}/0/answer`, body));
    await says('approved: {"q0":"Red"}');
    await waitFor('the outcome', () => shown.text.includes('Answered'));
    world.telegram.write(ada, 'Blue');
    await says('You said: Blue');
  });

  /** @param shownIn the group's id by the time it sees the question, and somebody replies */
  async function answerInGroup(group: number, shownIn = group): Promise<void> {
    world.agent.script = asks([WHICH]);
    const entities = [{ type: 'mention', offset: 0, length: 14 }];
    world.telegram.writeInGroup(group, ada, '@WaystationBot ask', { entities });
    const shown = await waitFor('the question', () => questionsIn(shownIn)[0]);
    await allSent(world.channelId);
    const from = { id: Number(world.telegram.token.split(':')[0]), is_bot: true, first_name: 'Waystation' };
    const chat = { id: shownIn, type: 'supergroup' };
    const quoted = { message_id: shown.messageId, date: 1, chat, from, text: 'x' };
    world.telegram.writeInGroup(shownIn, BOSS, 'blue', { reply_to_message: quoted });
  }

  it('in a group takes replies to it', async () => {
    const group = -1000 - ada;
    await answerInGroup(group);
    await says('approved: {"q0":"b"}', group);
  });

  it('in a group that got another id before it was shown takes replies there', async () => {
    const group = -2000 - ada;
    const newId = -1_000_000_000_000 - ada;
    world.telegram.chats.add(String(newId));
    const words = 'Bad Request: group chat was upgraded to a supergroup chat';
    world.telegram.failNext('sendMessage', TelegramFake.error(400, words, { migrate_to_chat_id: newId }));
    await answerInGroup(group, newId);
    // The fake still takes messages for the old id.
    const answer = 'approved: {"q0":"b"}';
    await waitFor('the answer', () => [group, newId].some((id) => world.sentTo(id).includes(answer)), 20_000);
  });

  it('beside a call, or too long for a message, is answered elsewhere', async () => {
    for (const [at, calls] of [
      [questionCall(), REFUND],
      [questionCall([{ text: 'x'.repeat(3_900) + '?' }, WHICH])],
    ].entries()) {
      world.agent.script = asks([WHICH], { pending_tool_calls: calls });
      world.telegram.write(ada, 'ask');
      const shown = await waitFor('the question', () => questionsIn(ada)[at]);
      expect(shown.text).toContain('It cannot be answered here');
      expect(labelsOf(shown)).toEqual(['Decline']);
      const { runId: traceId } = await waitFor('the run', () => runsOf(ada)[at]);
      await decided(server.api, 'reject', { traceId }, 0);
      await waitFor('the end', () => world.sentTo(ada).filter((text) => text === 'rejected: null').length === at + 1);
    }
  });

  it('that waits is repeated in its chat, and from the second reminder on where the boss sees it, who has written there', async () => {
    const first = await ask(asks([WHICH], { approval_remind_seconds: [60, 120, 180] }));
    for (const reminders of [1, 2]) {
      clock.aheadMs += 61_000;
      await waitFor('the reminder', () => questionsIn(ada).length === 1 + reminders);
    }
    const sent = await messagesOf(server.api, world.channelId, { direction: 'out' });
    expect(sent.filter(({ kind, chat_id }) => kind === 'question' && chat_id === String(BOSS))).toEqual([]);
    world.telegram.write(BOSS, 'hello');
    await says('You said: hello', BOSS);
    clock.aheadMs += 61_000;
    await waitFor('the third reminder', () => questionsIn(ada).length === 4 && questionsIn(BOSS).length > 0);
    const escalated = questionsIn(BOSS).at(-1)!;
    expect(labelsOf(escalated)).toEqual(['Red', 'Blue', 'Decline']);
    expect(escalated.text).toContain('still waits for your answer');
    world.telegram.press(ada, first.messageId, 'Red');
    await says('approved: {"q0":"Red"}');
    const all = [...questionsIn(ada), escalated];
    await waitFor('the outcome in all', () => all.every(({ text }) => text.includes(`Answered by User ${ada}: Red`)));
    expect(all).toHaveLength(5);
  });
});

describe('A question of an agent on WhatsApp', () => {
  const ME = '4900';
  const sent = () => whatsapp.messages.filter(({ to }) => to === ME);
  const write = (text: string, more: Values = {}) =>
    whatsapp.deliver(whatsapp.batch([whatsapp.textFrom(ME, text, more)]));
  const saysThere = (text: string) => waitFor(`"${text}"`, () => sent().some((one) => one.text === text));

  async function asked(options: Values[]): Promise<WhatsappMessage> {
    world.agent.script = asks([{ text: 'Which way?', options }]);
    const before = sent().length;
    await write('ask');
    const question = await waitFor('the question', () =>
      sent()
        .slice(before)
        .find(({ buttons }) => buttons.length > 0),
    );
    await allSent(shop);
    return question;
  }

  it('has up to three buttons', async () => {
    const long = 'A label that is far too long for a button';
    const shown = await asked([{ label: `${long} 1` }, { label: `${long} 2` }, { label: 'No' }]);
    expect(shown.buttons.map(({ title }) => title)).toEqual(['1. A label that is …', '2. A label that is …', '3. No']);
    await whatsapp.deliver(whatsapp.batch([whatsapp.pressFrom(ME, shown.id, '3. No')]));
    await saysThere('approved: {"q0":"No"}');
  });

  it('too long for buttons is asked without them', async () => {
    world.agent.script = asks([{ ...WHICH, text: 'Which colour, please? '.repeat(60) }]);
    await write('ask');
    await waitFor('the question', () => sent().some(({ text, buttons }) => text.includes('please') && !buttons.length));
    await allSent(shop);
    await write('2');
    await saysThere('approved: {"q0":"b"}');
  });

  it('with more options takes a reply, which a later message can quote', async () => {
    const shown = await asked(optionsOf(4));
    expect(shown.buttons.map(({ title }) => title)).toEqual(['Decline']);
    const answer = whatsapp.textFrom(ME, '4', { context: { from: whatsapp.number.displayNumber, id: shown.id } });
    await whatsapp.deliver(whatsapp.batch([answer]));
    await saysThere('approved: {"q0":"Way 4"}');
    // The platform tells only the id of what is quoted.
    await write('Was that right?', { context: { from: ME, id: answer.id } });
    const run = await waitFor('the run', () => runsOf(Number(ME)).find(({ message }) => message === 'Was that right?'));
    expect(run.context.reply_to).toMatchObject({ message_id: answer.id, is_own: false, text: '4' });
  });
});

describe('A question of an agent on Slack', () => {
  const ROOM = 'D0DIRECT01';
  const sent = () => slack.messages.filter(({ channel }) => channel === ROOM);
  const write = (text: string, more: Values = {}) => slack.deliver(slack.callback(slack.message('U7', text, more)));
  const saysThere = (text: string) => waitFor(`"${text}"`, () => sent().some((one) => one.text === text));

  async function asked(options: Values[]): Promise<SlackMessage> {
    world.agent.script = asks([{ text: 'Which way?', options }]);
    const before = sent().length;
    await write('ask');
    const question = await waitFor('the question', () =>
      sent()
        .slice(before)
        .find(({ buttons }) => buttons.length > 0),
    );
    await allSent(team);
    return question;
  }

  it('has up to five buttons', async () => {
    const shown = await asked(optionsOf(5));
    expect(shown.buttons.map(({ text }) => text)).toEqual(['Way 1', 'Way 2', 'Way 3', 'Way 4', 'Way 5']);
    await slack.deliver(slack.pressForm('U7', shown.ts, 'Way 5'));
    await saysThere('approved: {"q0":"Way 5"}');
  });

  it('with more options takes an answer in its thread', async () => {
    const shown = await asked(optionsOf(6));
    expect(shown.buttons.map(({ text }) => text)).toEqual(['Decline']);
    await write('6', { thread_ts: shown.ts, parent_user_id: slack.app.botUser });
    await saysThere('approved: {"q0":"Way 6"}');
  });
});
