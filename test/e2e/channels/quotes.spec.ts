import { askingScript } from '../../support/asking-script.js';
import { ServerProcess } from '../../support/server-process.js';
import { freshStorage, type TestStorage } from '../../support/storage.js';
import { TelegramWorld } from '../../support/telegram-world.js';
import { waitFor } from '../../support/wait.js';

let world: TelegramWorld;
let storage: TestStorage;
let server: ServerProcess;
let person = 4000;

beforeAll(async () => {
  world = await TelegramWorld.start();
  storage = await freshStorage();
  server = await ServerProcess.start(storage, { env: world.env });
  // Everybody here may decide.
  await world.connect(server.api, { approvers: Array.from({ length: 50 }, (_, i) => String(person + i)) });
});
beforeEach(() => {
  person += 1;
  world.agent.script = (run, agent) => agent.answer(run, `You said: ${run.message}`);
});
afterAll(async () => {
  await server?.stop();
  await world?.close();
  await storage?.dispose();
});

const sent = () => world.telegram.messages.filter(({ chatId }) => chatId === String(person));
const runsHere = () => world.agent.runs.filter(({ context }) => context.user_id === String(person));
const bot = { id: 700100200, is_bot: true, first_name: 'Waystation' };

/** The run that a message starts. */
async function runOf(text: string, more: object = {}) {
  const count = runsHere().length;
  world.telegram.write(person, text, { ...more });
  return waitFor('the run', () => runsHere()[count]);
}

function replyTo(messageId: number, text: string) {
  return { reply_to_message: { message_id: messageId, from: bot, chat: { id: person, type: 'private' }, text } };
}

describe('A message that answers one of the agent', () => {
  it('names the run that wrote it', async () => {
    const first = await runOf('Where is my parcel?');
    const answer = await waitFor('the answer', () => sent()[0]);
    const { context } = await runOf('Are you sure?', replyTo(answer.messageId, answer.text));
    expect(context.reply_to).toEqual({
      message_id: String(answer.messageId),
      author: { id: String(bot.id), name: 'Waystation' },
      is_own: true,
      text: 'You said: Where is my parcel?',
      quote: null,
      attachments: [],
      run: { thread_id: first.threadId, run_id: first.runId, step: null },
    });
  });

  it('names the step, too, where it is a question about tool calls', async () => {
    world.agent.script = askingScript({ name: 'issue_refund', args: { order: 4711 } });
    const first = await runOf('refund me');
    const question = await waitFor('the question', () => sent().find(({ buttons }) => buttons.length > 0));
    world.telegram.press(person, question.messageId, 'Reject');
    await waitFor('the answer', () => sent().some(({ text }) => text === 'It was rejected.'));
    world.agent.script = (run, agent) => agent.answer(run, run.message);
    const { context } = await runOf('why did it ask?', replyTo(question.messageId, question.text));
    const run = { thread_id: first.threadId, run_id: first.runId, step: 0 };
    expect(context.reply_to).toMatchObject({ is_own: true, run });
  });

  it('names no run for a message of another chat with the same number', async () => {
    await runOf('hello');
    const answer = await waitFor('the answer', () => sent()[0]);
    person += 1;
    const { context } = await runOf('mine?', replyTo(answer.messageId, 'x'));
    expect(context.reply_to).toMatchObject({ message_id: String(answer.messageId), text: 'x', run: null });
  });
});

describe('A message with more than text', () => {
  it('reaches the agent with names that are safe to save under', async () => {
    const document = {
      file_id: 'd',
      file_name: '../../invoice\u202Efdp."exe"\r\nX: y',
      mime_type: 'text/html\r\nX: y',
      file_size: 5,
    };
    const run = await runOf('', { text: undefined, document });
    expect(run.message).toBe('[document: invoicefdp."exe" X: y]');
    expect(run.context.attachments).toEqual([
      expect.objectContaining({ kind: 'document', id: 'd', name: 'invoicefdp."exe" X: y', media_type: null }),
    ]);
    expect(run.context.attachments).toMatchObject([{ size_bytes: 5, sizeBytes: 5, mediaType: null }]);
  });

  it('says whose message was forwarded, and what is quoted', async () => {
    const origin = { type: 'user', date: 1_763_500_000, sender_user: { id: 5, is_bot: false, first_name: 'Bob' } };
    const forwarded = await runOf('my parcel never came', { forward_origin: origin });
    expect(forwarded.context.forwarded).toEqual([
      {
        author: { id: '5', name: 'Bob' },
        chat: null,
        text: 'my parcel never came',
        sent_at: '2025-11-18T21:06:40.000Z',
        url: null,
        attachments: [],
      },
    ]);
    const external_reply = { origin, chat: { id: -9, type: 'channel' }, message_id: 3 };
    const quoting = await runOf('true?', { external_reply, quote: { text: 'x'.repeat(5_000), position: 0 } });
    expect(quoting.context.reply_to).toMatchObject({ message_id: '3', author: { name: 'Bob' }, text: null, run: null });
    expect((quoting.context.reply_to as { quote: string }).quote).toHaveLength(4_000);
  });
});
