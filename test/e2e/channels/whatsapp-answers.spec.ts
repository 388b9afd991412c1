import { WhatsappFake } from '../../fakes/platforms/whatsapp-fake.js';
import { FakeAgent } from '../../fakes/fake-agent.js';
import { MANY_CALLS } from '../../support/cut-question.js';
import { askingScript } from '../../support/asking-script.js';
import { connectWhatsapp, messagesOf, type CreatedChannel } from '../../support/channels.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const REFUND = { name: 'issue_refund', args: { order: 4711 } };

const whatsapp = await WhatsappFake.start();
const agent = await FakeAgent.start();
const server = useServer({ env: { WAYSTATION_WHATSAPP_API_URL: whatsapp.url } });
let channel: CreatedChannel;
let person = 4911;

beforeAll(async () => {
  channel = await connectWhatsapp(server.api, whatsapp, { approvers: ['4900'] });
  agent.api = server.api;
  await agent.beat();
});
beforeEach(() => {
  person += 1;
  agent.script = (run) => agent.answer(run, `You said: ${run.message}`);
});
afterAll(() => Promise.all([whatsapp.close(), agent.close()]));

const write = (text: string) => whatsapp.deliver(whatsapp.batch([whatsapp.textFrom(String(person), text)]));
const sent = () => whatsapp.messages.filter(({ to }) => to === String(person));
const texts = () => sent().map(({ text }) => text);

function press(messageId: string, title: string) {
  return whatsapp.deliver(whatsapp.batch([whatsapp.pressFrom(String(person), messageId, title)]));
}

async function outcome(text: string) {
  return waitFor(`the outcome of ${text}`, async () => {
    const rows = await messagesOf(server.api, channel.id, { direction: 'out' });
    return rows.find(
      (row) => row.chat_id === String(person) && row.text.includes(text) && !['queued', 'sending'].includes(row.status),
    );
  });
}

describe('A message on WhatsApp', () => {
  const deliver = (message: object) => {
    const base = { from: String(person), timestamp: String(Math.floor(Date.now() / 1000)) };
    whatsapp.open.add(String(person));
    return whatsapp.deliver(whatsapp.batch([{ ...base, ...message }]));
  };
  const run = () => waitFor('the run', () => agent.runs.find(({ context }) => context.user_id === String(person)));

  it('of a kind that WhatsApp does not pass on is answered once a day', async () => {
    for (const id of ['wamid.U1', 'wamid.U2']) {
      const errors = [{ code: 131051, title: 'Message type unknown' }];
      await deliver({ id: `${id}.${person}`, type: 'unsupported', errors, unsupported: { type: 'pin' } });
    }
    await write('hello');
    await waitFor('the answer', () => texts().includes('You said: hello'));
    const sentence =
      'This kind of message does not reach the agent. Please send text, a picture, a voice message or a file.';
    expect(texts().slice(0, -1)).toEqual([sentence]);
  });

  it('that presses a button of another program is a message with its title and payload', async () => {
    const button_reply = { id: 'track-parcel', title: 'Track parcel' };
    const interactive = { type: 'button_reply', button_reply };
    await deliver({ id: `wamid.B.${person}`, type: 'interactive', interactive });
    const { message, context } = await run();
    expect(message).toBe('Track parcel');
    expect(context.button).toEqual({ id: 'track-parcel', title: 'Track parcel', description: null, form: null });
  });

  it('that answers one of the agent has its text from the log', async () => {
    await write('hello');
    await waitFor('the answer', () => texts().includes('You said: hello'));
    const [answer] = sent();
    await outcome('You said: hello');
    const context = { from: '15550783881', id: answer!.id };
    await deliver({ id: `wamid.R.${person}`, type: 'text', text: { body: 'why?' }, context });
    await waitFor('the second answer', () => texts().includes('You said: why?'));
    const [first, second] = agent.runs.filter((one) => one.context.user_id === String(person));
    expect(second!.context.reply_to).toMatchObject({
      message_id: answer!.id,
      is_own: true,
      text: 'You said: hello',
      run: { thread_id: first!.threadId, run_id: first!.runId, step: null },
    });
  });
});

describe('An answer on WhatsApp', () => {
  it('reaches the person, and its message is shown as read while the agent writes', async () => {
    agent.script = async (run) => {
      await waitFor('the sign', () => whatsapp.typing.length > 0);
      await agent.answer(run, `You said: ${run.message}`);
    };
    await write('Where is my parcel?');
    await waitFor('the answer', () => texts().includes('You said: Where is my parcel?'));
    expect(await outcome('You said: Where is my parcel?')).toMatchObject({
      status: 'sent',
      external_id: sent()[0]!.id,
    });
  });

  it('fails with the reason when the 24 hours are over, and the chat is open again once the person writes', async () => {
    agent.script = async (run) => {
      whatsapp.open.delete(String(person));
      await agent.answer(run, `Late for ${person}`);
    };
    await write('take a day');
    expect(await outcome(`Late for ${person}`)).toMatchObject({
      status: 'failed',
      reason: expect.stringMatching(/24 hours/),
    });
    agent.script = (run) => agent.answer(run, `In time for ${person}`);
    await write('still there?');
    expect(await outcome(`In time for ${person}`)).toMatchObject({ status: 'sent', reason: null });
    expect(texts()).toEqual([`In time for ${person}`]);
  });

  it.each([
    ['the person', WhatsappFake.error(400, 131056, 'Pair rate limit hit')],
    ['the number', { ...WhatsappFake.error(429, 130429, 'Rate limit hit'), headers: { 'retry-after': '2' } }],
  ])('that was too much for %s is sent later, once', async (_, limit) => {
    whatsapp.failNext('/messages$', limit);
    whatsapp.failNext('/messages$', limit);
    await write('hello');
    expect(await outcome(`You said: hello`)).toMatchObject({ status: 'sent' });
    await waitFor('the answer', () => sent().length > 0);
    expect(texts()).toEqual(['You said: hello']);
  });
});

describe('A tool call that waits for a person on WhatsApp', () => {
  it('is decided by a button; the outcome is a message of its own, as nothing can be edited', async () => {
    person = 4900;
    agent.script = askingScript(REFUND);
    await write('refund me');
    const question = await waitFor('the question', () => sent().find(({ buttons }) => buttons.length > 0));
    expect(question.buttons.map(({ title }) => title)).toEqual(['Approve', 'Reject']);
    expect(question.text).toContain('"order":4711');
    await press(question.id, 'Approve');
    await waitFor('the answer', () => texts().includes('It was approved.'));
    await waitFor('the outcome', () =>
      sent().some(({ id, text }) => id !== question.id && text.includes('*Approved* by')),
    );
    await press(question.id, 'Reject');
    await waitFor('the notice', () => texts().some((text) => text.startsWith('This was decided')));
    expect(sent().filter(({ buttons }) => buttons.length > 0)).toHaveLength(1);
  });

  it('and does not fit into a question has no Approve button; one that was made up decides nothing', async () => {
    person = 4900;
    agent.script = askingScript(...MANY_CALLS);
    const before = sent().length;
    await write('pay all');
    const question = await waitFor('the question', () =>
      sent()
        .slice(before)
        .find(({ buttons }) => buttons.length > 0),
    );
    expect(question.buttons.map(({ title }) => title)).toEqual(['Reject']);
    expect(question.text).toContain('pay\\u202eecnef');
    expect(question.text).not.toMatch(/[\u202e\u2066\u200b]/);
    expect(question.text).toMatch(/Not all of it fits here.*waystation approvals --json --thread 'channel:/);
    question.buttons.push({ title: 'Approve', id: question.buttons[0]!.id.replace('reject', 'approve') });
    await press(question.id, 'Approve');
    await waitFor('the notice', () => texts().some((text) => text.startsWith('Not all of it was shown')));
    await press(question.id, 'Reject');
    await waitFor('the answer', () => texts().slice(before).includes('It was rejected.'));
    expect(texts().slice(before)).not.toContain('It was approved.');
  });

  it('is not decided by somebody who may not', async () => {
    agent.script = askingScript(REFUND);
    await write('refund me');
    const question = await waitFor('the question', () => sent().find(({ buttons }) => buttons.length > 0));
    await press(question.id, 'Approve');
    await waitFor('the notice', () => texts().includes('You may not decide this.'));
    const [run] = agent.runs.filter(({ context }) => context.user_id === String(person));
    expect((await server.api.post(`/approvals/${run!.runId}/0/reject`)).status).toBe(200);
    await waitFor('the answer', () => texts().includes('It was rejected.'));
  });
});
