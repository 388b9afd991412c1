import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { WaystationClient, type Run } from '../../../src/client/waystation-client.js';
import type { Invocation, RunScript } from '../../fakes/fake-agent.js';
import { TelegramFake } from '../../fakes/platforms/telegram-fake.js';
import { newRun, waiting } from '../../factories/waiting.js';
import { approvalOf } from '../../support/approvals.js';
import { messagesOf } from '../../support/channels.js';
import { useChatServer } from '../../support/chat-server.js';
import { MovableClock } from '../../support/movable-clock.js';
import { NOTICES } from '../../support/notices.js';
import { ok, record } from '../../support/recording.js';
import { waitFor } from '../../support/wait.js';

interface Attached {
  bytes: Buffer;
  name?: string;
  caption?: string;
  media_type?: string;
  /** Only the event is sent, not the bytes. */
  isLost?: boolean;
  size_bytes?: number;
}

const PNG = Buffer.concat([Buffer.from([0x89]), Buffer.from('PNG')]);
const clock = new MovableClock();
const APPROVER = 9_500;
const chats = useChatServer(clock, { approvers: [String(APPROVER)] });
let person = 8000;

const digestOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

beforeEach(() => {
  person += 1;
});

/** A run that attaches files and then ends with a text. */
function attaching(files: readonly Attached[], text: string | null = 'Here it is.'): RunScript {
  return async (run, agent) => {
    const ids = { thread_id: run.threadId, trace_id: run.runId, agent_id: agent.name };
    await agent.report({ type: 'thread_started', data: ids });
    for (const { bytes, isLost, ...said } of files) {
      const digest = digestOf(bytes);
      const path = `/v1/runners/threads/${encodeURIComponent(run.threadId)}/attachments/${digest}`;
      const put = () => chats.server.api.send('PUT', path, bytes, { headers: { 'content-type': 'image/png' } });
      if (!isLost) expect((await put()).status).toBeLessThan(300);
      await agent.report({ type: 'attachment', data: { ...ids, digest, size_bytes: bytes.length, ...said } });
    }
    await ending(run, text);
  };
}

async function ending({ threadId, runId, message }: Invocation, text: string | null): Promise<void> {
  const { agent } = chats.world;
  const ids = { thread_id: threadId, trace_id: runId, agent_id: agent.name };
  const said = text === null ? [] : [{ role: 'assistant', content: text }];
  const history = [{ role: 'user', content: message }, ...said];
  await agent.report(
    { type: 'checkpoint', data: { ...ids, step_index: 0, status: 'in_progress', history } },
    { type: 'thread_completed', data: ids },
  );
}

/** The chat's content: texts, and files as `method name: caption`. */
function shown(): string[] {
  const messages = chats.world.telegram.messages.filter(({ chatId }) => chatId === String(person));
  return messages.map(({ text, file }) => (file ? `${file.method} ${file.name}: ${text}` : text));
}

async function asked(script: RunScript, count: number): Promise<string[]> {
  chats.world.agent.script = script;
  chats.world.telegram.write(person, 'the sales');
  await waitFor(`${count} messages`, () => shown().length >= count);
  return shown();
}

async function rowsOut() {
  const rows = await messagesOf(chats.server.api, chats.world.channelId, { direction: 'out' });
  return rows.filter(({ chat_id }) => chat_id === String(person));
}

describe('An answer with files', () => {
  it('is the text, then the files in their order, each with its words', async () => {
    const pdf = { bytes: randomBytes(300_000), name: '../x/report\u202E.pdf', media_type: 'application/pdf' };
    const files = [{ bytes: PNG, name: 'chart.png', caption: 'Sales of **May**' }, pdf];
    expect(await asked(attaching(files), 3)).toEqual([
      ...['Here it is.', 'sendPhoto chart.png: Sales of May', 'sendDocument report.pdf: '],
    ]);
    const [, , sent] = chats.world.telegram.messages.filter(({ chatId }) => chatId === String(person));
    expect(digestOf(sent!.file!.bytes)).toBe(digestOf(pdf.bytes));
    await waitFor('all to be noted', async () => (await rowsOut()).every(({ status }) => status === 'sent'));
    const [, row] = await rowsOut();
    expect(row).toMatchObject({
      ...{ kind: 'file', text: 'Sales of **May**' },
      file: { name: 'chart.png', media_type: 'image/png', size_bytes: PNG.length },
    });
  });

  it('may be files alone, each once', async () => {
    const file = { bytes: PNG, name: 'chart.png' };
    expect(await asked(attaching([file, file], null), 1)).toEqual(['sendPhoto chart.png: ']);
  });

  it('has no files where the run fails', async () => {
    const fails: RunScript = async (run, agent) => {
      const ids = { thread_id: run.threadId, trace_id: run.runId, agent_id: agent.name };
      const digest = digestOf(PNG);
      await agent.report({ type: 'thread_started', data: ids });
      await agent.report({ type: 'attachment', data: { ...ids, digest, size_bytes: PNG.length, name: 'a.png' } });
      await agent.report({ type: 'thread_error', data: ids });
    };
    expect(await asked(fails, 1)).toEqual(['Sorry, the agent ended with an error.']);
    expect((await rowsOut()).map(({ kind }) => kind)).toEqual(['text']);
  });

  it('has ten files at most, and 50 MiB; people read of the others', async () => {
    const files = Array.from({ length: 12 }, (_, n) => ({
      bytes: Buffer.from(`file ${n}`),
      name: `${n}.txt`,
      isLost: true,
    }));
    chats.world.agent.script = attaching(files);
    chats.world.telegram.write(person, 'all of them');
    await waitFor('the rows', async () => (await rowsOut()).length >= 12);
    const kinds = (await rowsOut()).slice(0, 12).map(({ kind, text }) => `${kind} ${text}`);
    expect(kinds).toEqual([
      'text Here it is.',
      ...Array.from({ length: 10 }, () => 'file '),
      'text The agent sent 2 more files, which cannot be delivered here.',
    ]);
    person += 1;
    const large = { bytes: PNG, name: 'large.bin', size_bytes: 9 * 1024 * 1024, isLost: true };
    const larger = { bytes: Buffer.from('y'), name: 'report.pdf', size_bytes: 49 * 1024 * 1024, isLost: true };
    chats.world.agent.script = attaching([large, larger]);
    chats.world.telegram.write(person, 'large ones');
    const sentence = 'The agent sent report.pdf (49 MB), which cannot be delivered here.';
    await waitFor('the sentence', () => shown().includes(sentence));
  });

  it('says which file cannot go', async () => {
    const lost = { bytes: randomBytes(100), name: 'lost.pdf', isLost: true };
    expect(await asked(attaching([lost]), 2)).toEqual([
      ...['Here it is.', 'The agent sent lost.pdf (100 bytes), which cannot be delivered here.'],
    ]);
    person += 1;
    for (let i = 0; i < 2; i++)
      chats.world.telegram.failNext('send(Photo|Document)', TelegramFake.error(400, 'Bad Request: no'));
    const refused = { bytes: PNG, name: 'refused.png' };
    expect(await asked(attaching([refused]), 2)).toEqual([
      ...['Here it is.', `The agent sent refused.png (${PNG.length} bytes), which cannot be delivered here.`],
    ]);
  });

  it('does not send a file again whose answer is lost', async () => {
    chats.world.telegram.failNext('sendPhoto', 'break-after');
    const files = [
      { bytes: PNG, name: 'once.png' },
      { bytes: Buffer.from('%PDF'), name: 'after.pdf' },
    ];
    expect(await asked(attaching(files), 3)).toEqual([
      ...['Here it is.', 'sendPhoto once.png: ', 'sendDocument after.pdf: '],
    ]);
    await waitFor('its end', async () => (await rowsOut()).every(({ status }) => status !== 'sending'));
    expect((await rowsOut()).map(({ status }) => status)).toEqual(['sent', 'unknown', 'sent']);
  });

  it('does not hold up decisions in its chat while its files are on their way', async () => {
    person = APPROVER;
    await asked(attaching([]), 1);
    const chat = { channel_id: chats.world.channelId, chat_id: String(person) };
    const notice = { name: 'Questions', chat, events: ['approval_waiting'] };
    expect((await chats.server.api.post(NOTICES, notice)).status).toBe(201);
    const run = newRun();
    await record(chats.server.api, waiting(run, 0));
    const { telegram } = chats.world;
    const question = await waitFor('the question', () => telegram.messages.find(({ buttons }) => buttons.length > 0));
    chats.world.agent.script = attaching([{ bytes: randomBytes(4 * 1024 * 1024), name: 'film.bin' }], null);
    telegram.slowDown(() => 500);
    telegram.write(person, 'the film');
    const fileRow = async () => (await rowsOut()).find(({ kind }) => kind === 'file');
    await waitFor('the file to be on its way', async () => (await fileRow())?.status === 'sending');
    telegram.press(person, question.messageId, 'Approve');
    await waitFor('the decision', async () => (await approvalOf(chats.server.api, run, 0)).status === 'approved');
    await waitFor('its acknowledgement', () => telegram.pressAnswers.some(({ text }) => text === 'Approved.'));
    expect((await fileRow())?.status).toBe('sending');
    telegram.slowDown(() => 0);
    await waitFor('the file', async () => (await fileRow())?.status === 'sent');
    await waitFor('the outcome', () => shown().some((text) => text.includes('Approved')));
  });

  it('sends a file again that was certainly not taken', async () => {
    chats.world.telegram.failNext('sendPhoto', TelegramFake.error(500, 'Internal Server Error'));
    const files = [{ bytes: PNG, name: 'again.png' }];
    expect(await asked(attaching(files), 2)).toEqual(['Here it is.', 'sendPhoto again.png: ']);
  });
});

describe('A program with the client', () => {
  it('attaches a file by its path', async () => {
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'attached-')), 'chart.png');
    writeFileSync(file, PNG);
    const script: RunScript = async ({ threadId, runId }) => {
      const { baseUrl: apiUrl, token } = chats.server.api;
      const client = new WaystationClient({ apiUrl, token, agentId: 'support' });
      const work = async (run: Run) => {
        await run.attach(file, { caption: 'Sales' });
        await run.step([{ role: 'assistant', content: 'Look.' }]);
      };
      await client.run(threadId, work, { traceId: runId });
      await client.close();
    };
    expect(await asked(script, 2)).toEqual(['Look.', 'sendPhoto chart.png: Sales']);
  });
});

describe('An event that names a file', () => {
  const report = async (data: object, more: object = {}) =>
    (await chats.server.api.post('/v1/runners/events', { events: [{ type: 'attachment', data, ...more }] })).json<{
      rejected?: { code: string; detail: string }[];
      errors?: { path: string }[];
    }>();
  const ids = { thread_id: 'files-1', trace_id: 'r1', agent_id: 'support' };
  const fine = { ...ids, digest: digestOf(PNG), size_bytes: 4 };

  it.each([
    ['digest', { digest: 'x' }],
    ['digest', { digest: undefined, path: 'chart.png' }],
    ['size_bytes', { size_bytes: -1 }],
    ['size_bytes', { size_bytes: undefined }],
    ['name', { name: 7 }],
    ['caption', { caption: ['x'] }],
    ['thread_id', { thread_id: undefined }],
  ])('with a wrong %s is refused: %j', async (field, wrong) => {
    expect(JSON.stringify(await report({ ...fine, ...wrong }))).toContain(`data.${field}`);
  });

  it('is in the log of the thread, for people to read', async () => {
    await chats.world.agent.report({ type: 'thread_started', data: ids });
    await report({ ...fine, name: 'chart.png', size_bytes: 3_000_000, caption: 'Sales' });
    const { logs } = ok(await chats.server.api.get('/threads/files-1')).json<{ logs: { message: string }[] }>();
    expect(logs.map(({ message }) => message)).toContain('Attachment: chart.png (2 MB): Sales');
  });

  it('counts only under the fence of its run', async () => {
    const run = { ...ids, thread_id: 'files-2' };
    await chats.world.agent.report({ type: 'thread_started', data: run });
    const path = '/v1/runners/threads/files-2/runs/r1/lease';
    const lease = await chats.server.api.post(path, { holder: 'one', agent_id: 'support', ttl_seconds: 60 });
    expect(lease.status).toBeLessThan(300);
    const { fence } = lease.json<{ fence: number }>();
    const file = { ...fine, thread_id: 'files-2' };
    for (const stale of [{}, { fence: fence + 1 }]) {
      expect(JSON.stringify(await report(file, stale))).toContain('stale_fence');
    }
    expect(await report(file, { fence })).toMatchObject({ saved: 1 });
  });
});
