import { approvalsOf, decided } from '../../support/approvals.js';
import { MANY_CALLS, TOO_LARGE_CALL } from '../../support/cut-question.js';
import { askingScript } from '../../support/asking-script.js';
import { freePort } from '../../support/free-port.js';
import { ServerProcess } from '../../support/server-process.js';
import { freshStorage, type TestStorage } from '../../support/storage.js';
import { TelegramWorld } from '../../support/telegram-world.js';
import { waitFor } from '../../support/wait.js';

const BOSS = 7;
const STRANGER = 8;
/** Fixed, so that it is found again after a restart. */
const WAYSTATION_PORT = String(await freePort());
const LEASE = { WAYSTATION_LEASE_SECONDS: '2' };
const REFUND = { name: 'issue_refund', args: { order: 4711, note: '```ticks``` & <tags> *stars*' } };

let world: TelegramWorld;
let storage: TestStorage;
let server: ServerProcess;
let person = 900;

beforeAll(async () => {
  world = await TelegramWorld.start(askingScript(REFUND));
  storage = await freshStorage();
  server = await ServerProcess.start(storage, { env: { ...world.env, ...LEASE, WAYSTATION_PORT } });
  await world.connect(server.api, { approvers: [String(BOSS)] });
});
beforeEach(() => {
  person += 1;
});
afterAll(async () => {
  await server?.stop();
  await world?.close();
  await storage?.dispose();
});

async function question() {
  return waitFor('the question', () =>
    world.telegram.messages.find(({ chatId, buttons }) => chatId === String(person) && buttons.length === 2),
  );
}

async function ask(text = 'refund me') {
  world.telegram.write(person, text);
  const shown = await question();
  const run = world.agent.runs.find(({ context }) => context.user_id === String(person))!;
  return { shown, run };
}

const answersTo = () => world.telegram.pressAnswers.map(({ text }) => text);

describe('A tool call that waits for a person', () => {
  it('is shown in the chat with its exact arguments, and decided by a button', async () => {
    const { shown, run } = await ask();
    expect(shown.text).toContain('issue_refund');
    expect(shown.text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')).toContain(
      JSON.stringify(REFUND.args),
    );
    world.telegram.press(BOSS, shown.messageId, 'Approve');
    await waitFor('the answer', () => world.sentTo(person).includes('It was approved.'));
    const [approval] = await approvalsOf(server.api, run.threadId, { status: 'all' });
    expect(approval).toMatchObject({
      status: 'approved',
      decided_by: `telegram:${BOSS} (User ${BOSS})`,
      decided_through: 'channel',
    });
    await waitFor('the outcome', () => shown.text.includes('Approved'));
    expect(shown.text).toContain(`by User ${BOSS}`);
    expect(shown.buttons).toEqual([]);
    expect(answersTo()).toContain('Approved.');
  });

  it('can be rejected', async () => {
    const { shown } = await ask();
    world.telegram.press(BOSS, shown.messageId, 'Reject');
    await waitFor('the answer', () => world.sentTo(person).includes('It was rejected.'));
    await waitFor('the outcome', () => shown.text.includes('Rejected'));
  });

  it('is not decided by a stranger, whose press starts no run either', async () => {
    const { shown, run } = await ask();
    const before = world.agent.runs.length;
    world.telegram.press(STRANGER, shown.messageId, 'Approve');
    await waitFor('the answer to the press', () => answersTo().includes('You may not decide this.'));
    expect(await approvalsOf(server.api, run.threadId)).toHaveLength(1);
    expect(world.agent.runs).toHaveLength(before);
    world.telegram.press(BOSS, shown.messageId, 'Reject');
    await waitFor('the answer', () => world.sentTo(person).includes('It was rejected.'));
  });

  it('shows the outcome also when it was decided elsewhere, and a late press changes nothing', async () => {
    const { shown, run } = await ask();
    const late = { ...shown, buttons: [...shown.buttons] };
    await decided(server.api, 'approve', { traceId: run.runId }, 0, { decided_by: 'Grace' });
    await waitFor('the outcome', () => shown.text.includes('Approved by Grace'));
    const data = late.buttons.find(({ text }) => text === 'Reject')!.data;
    const from = { id: BOSS, is_bot: false, first_name: `User ${BOSS}` };
    const message = { message_id: shown.messageId, date: 1, chat: { id: person, type: 'private' } };
    world.telegram.push({ callback_query: { id: '99', from, message, chat_instance: '1', data } }, `user:${BOSS}`);
    await waitFor('the answer to the press', () => answersTo().some((text) => text.startsWith('This was decided')));
    await waitFor('the answer', () => world.sentTo(person).includes('It was approved.'));
  });

  it('of a sub-agent in the same thread is shown, too', async () => {
    const { shown } = await ask('delegate');
    expect(shown.text).toContain('refunds');
    world.telegram.press(BOSS, shown.messageId, 'Approve');
    await waitFor('the answer', () => world.sentTo(person).includes('It was approved.'));
  });

  it.each([
    ['does not fit into a question', MANY_CALLS, /waystation approvals --json --thread 'channel:/],
    ['is too large to be shown anywhere', [TOO_LARGE_CALL], /too large to show.*waystation export 'channel:/s],
  ])('and %s has no Approve button; one that was made up decides nothing', async (_, calls, whereToLook) => {
    world.agent.script = askingScript(...calls);
    world.telegram.write(person, 'pay all');
    const shown = await waitFor('the question', () =>
      world.telegram.messages.find(({ chatId, buttons }) => chatId === String(person) && buttons.length > 0),
    );
    world.agent.script = askingScript(REFUND);
    expect(shown.buttons.map(({ text }) => text)).toEqual(['Reject']);
    expect(shown.text).toContain('pay\\u202eecnef');
    expect(shown.text).not.toMatch(/[\u202e\u2066\u200b]/);
    expect(shown.text).toMatch(/Not all of it fits here/);
    expect(shown.text).toMatch(whereToLook);
    const before = answersTo().length;
    shown.buttons.push({ text: 'Approve', data: shown.buttons[0]!.data.replace('reject', 'approve') });
    world.telegram.press(BOSS, shown.messageId, 'Approve');
    await waitFor('the notice', () =>
      answersTo()
        .slice(before)
        .some((text) => text.startsWith('Not all of it was shown')),
    );
    world.telegram.press(BOSS, shown.messageId, 'Reject');
    await waitFor('the answer', () => world.sentTo(person).includes('It was rejected.'));
    await waitFor('the outcome', () => shown.text.includes(`by User ${BOSS}`));
    expect(shown.text).toContain('Rejected');
  });

  it('is asked for once, however often the server is restarted', async () => {
    const { shown, run } = await ask();
    // Before that, it would be unknown whether it was sent.
    await waitFor('the note that it was sent', async () =>
      (await world.log(server.api)).some(
        ({ kind, status, thread_id }) => kind === 'question' && status === 'sent' && thread_id === run.threadId,
      ),
    );
    await server.kill();
    server = await ServerProcess.start(storage, { env: { ...world.env, ...LEASE, WAYSTATION_PORT } });
    world.agent.api = server.api;
    world.telegram.press(BOSS, shown.messageId, 'Approve');
    await waitFor('the answer', () => world.sentTo(person).includes('It was approved.'));
    const questions = world.sentTo(person).filter((text) => text.includes('issue_refund'));
    expect(questions).toHaveLength(1);
  });
});

describe('A question that could not be asked', () => {
  it('because the person had blocked the bot is asked when the person is back', async () => {
    const failed = async () =>
      (await world.log(server.api)).some(({ kind, status }) => kind === 'question' && status === 'failed');
    world.telegram.blocked.add(String(person));
    world.telegram.write(person, 'refund me');
    await waitFor('the failure', failed);
    world.telegram.blocked.delete(String(person));
    world.telegram.write(person, 'what about it?');
    world.telegram.press(BOSS, (await question()).messageId, 'Approve');
    await waitFor('the answer', () => world.sentTo(person).includes('It was approved.'));
    const questions = world.telegram.messages.filter(
      ({ chatId, text }) => chatId === String(person) && text.includes('issue_refund'),
    );
    expect(questions).toHaveLength(1);
  });
});

describe('A question of which nobody knows whether it was sent', () => {
  const questions = () =>
    world.telegram.messages.filter(
      ({ chatId, text }) => chatId === String(person) && text.includes('asks for your approval'),
    );
  const sendings = () =>
    world.telegram.requests.filter(
      ({ path, body }) => path.endsWith('/sendMessage') && String(body.chat_id) === String(person),
    );

  it('as the connection broke is asked again, and the button of either decides', async () => {
    world.telegram.failNext('sendMessage', 'break-after');
    world.telegram.write(person, 'refund me');
    await waitFor('the question, twice', () => questions().length === 2);
    const [lost] = questions();
    world.telegram.press(BOSS, lost!.messageId, 'Approve');
    await waitFor('the answer', () => world.sentTo(person).includes('It was approved.'));
    await waitFor('the outcome in both', () => questions().every(({ text }) => text.includes('by User 7')));
  });

  it('as the server was killed meanwhile is asked again, and messages behind it have their turn', async () => {
    world.telegram.failNext('sendMessage', 'hang');
    world.telegram.write(person, 'refund me');
    await waitFor('the question to be on its way', () => sendings().length === 1);
    await server.kill();
    world.telegram.write(person, 'delegate');
    server = await ServerProcess.start(storage, { env: { ...world.env, ...LEASE, WAYSTATION_PORT } });
    world.agent.api = server.api;
    world.telegram.press(BOSS, (await question()).messageId, 'Reject');
    await waitFor('the answer', () => world.sentTo(person).includes('It was rejected.'));
    const next = await waitFor('the next question', () => questions().find(({ buttons }) => buttons.length === 2));
    world.telegram.press(BOSS, next.messageId, 'Approve');
    await waitFor('the next answer', () => world.sentTo(person).includes('It was approved.'));
  });
});

describe('A button that is not ours', () => {
  it('is answered politely and starts no run', async () => {
    const before = world.agent.runs.length;
    const from = { id: BOSS, is_bot: false, first_name: 'Boss' };
    const message = { message_id: 1, date: 1, chat: { id: BOSS, type: 'private' } };
    const data = 'something else';
    world.telegram.push({ callback_query: { id: '77', from, message, chat_instance: '1', data } }, `user:${BOSS}`);
    await waitFor('the answer to the press', () => answersTo().includes('This button is out of date.'));
    expect(world.agent.runs).toHaveLength(before);
  });
});
