import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { TelegramFake } from '../../fakes/platforms/telegram-fake.js';
import { AgentRunner } from '../../support/agent-runner.js';
import { createReadyChannel, messagesOf, setUpWebhook, telegramOrder } from '../../support/channels.js';
import { freePort } from '../../support/free-port.js';
import { detailOf } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const telegram = await TelegramFake.start();
const port = await freePort();
const server = useServer({ env: { WAYSTATION_TELEGRAM_API_URL: telegram.url, WAYSTATION_PORT: String(port) } });
const STATE = () => path.join(server.storage.home, 'state');

/** Follows its message, one step per line: `file NAME TEXT`, `link NAME`, `print JSON`, `wait NAME` for a file in its folder. */
const PROGRAM = `
  const fs = require('node:fs');
  const path = require('node:path');
  const { message } = JSON.parse(fs.readFileSync(0, 'utf8'));
  const dir = process.env.WAYSTATION_RUN_DIR;
  const steps = message.split('\\n');
  const next = () => {
    const step = steps.shift();
    if (step === undefined) return console.log('Done.');
    const [verb, name, ...rest] = step.split(' ');
    if (verb === 'file') fs.writeFileSync(path.join(dir, name), rest.join(' '));
    if (verb === 'link') fs.symlinkSync('/etc/hostname', path.join(dir, name));
    if (verb === 'print') console.log([name, ...rest].join(' '));
    if (verb === 'mode') console.log((fs.statSync(dir).mode & 0o777).toString(8));
    if (verb !== 'wait' || fs.existsSync(path.join(dir, name))) return next();
    steps.unshift(step);
    setTimeout(next, 20);
  };
  next();`;

let channelId = '';
let person = 9100;
let agents: AgentRunner;

const attach = (data: object) => `print ${JSON.stringify({ type: 'attachment', data })}`;

async function startAgent(apiUrl = server.api.baseUrl): Promise<void> {
  const support = { command: [process.execPath, '-e', PROGRAM], timeout_seconds: 60 };
  const env = { WAYSTATION_STATE_DIR: STATE(), WAYSTATION_LEASE_TTL_SECONDS: '5' };
  agents = await AgentRunner.start({ storage: server.storage, apiUrl, agents: { support }, env });
}

beforeAll(async () => {
  const channel = await createReadyChannel(server.api, telegramOrder({ config: { bot_token: telegram.token } }));
  channelId = channel.id;
  await setUpWebhook(server.api, channelId, server.api.baseUrl);
});
beforeEach(() => {
  person += 1;
});
afterEach(() => agents?.stop());
afterAll(() => telegram.close());

/** The chat's content: texts, and files as `method name: text of the file`. */
function shown(): string[] {
  const messages = telegram.messages.filter(({ chatId }) => chatId === String(person));
  return messages.map(({ text, file }) => (file ? `${file.method} ${file.name}: ${file.bytes.toString()}` : text));
}

function write(...steps: string[]): void {
  telegram.write(person, steps.join('\n'));
}

async function logged(): Promise<string[]> {
  const { logs } = await detailOf(server.api, `channel:${channelId}:${person}:support`);
  return (logs as { message: string }[]).map(({ message }) => message);
}

const namesIn = (folder: string) =>
  existsSync(path.join(STATE(), folder)) ? readdirSync(path.join(STATE(), folder)) : [];
const runFolders = () => namesIn('runs');
const copies = () => namesIn('attachments');

describe('A program', () => {
  it('sends files from the folder of its run, which is its own and goes with it', async () => {
    await startAgent();
    write('mode', 'file sales.csv day,sales', attach({ path: 'sales.csv', caption: 'May' }));
    await waitFor('the file', () => shown().length >= 2);
    expect(shown()).toEqual(['700\nDone.', 'sendDocument sales.csv: day,sales']);
    await waitFor('the folder to go', () => runFolders().length === 0);
    await waitFor('the copy to go', () => copies().length === 0);
    const [, row] = await messagesOf(server.api, channelId, { direction: 'out' });
    expect(row).toMatchObject({ kind: 'file', text: 'May', file: { name: 'sales.csv', size_bytes: 9 } });
  });

  it('sends nothing from elsewhere, and the log says why', async () => {
    await startAgent();
    const paths = ['../x', '/etc/hostname', '/proc/self/environ', 'link', 'not-there', 'https://example.com/x.png'];
    write('link link', ...paths.map((one) => attach({ path: one })), attach({ url: 'https://example.com/x.png' }));
    await waitFor('the answer', () => shown().length >= 1);
    expect(shown()).toEqual(['Done.']);
    const refused = (await logged()).filter((message) => message.startsWith('attachment_refused'));
    expect(refused).toHaveLength(7);
    expect(refused.join()).toContain('it is a link');
    expect(refused.join()).toContain('WAYSTATION_RUN_DIR');
  });
});

describe('A file is sent once', () => {
  it('when the process is killed after it was attached, and resumes', async () => {
    await startAgent();
    write('file a.txt first', attach({ path: 'a.txt' }), 'wait go');
    await waitFor('the copy', () => existsSync(path.join(STATE(), 'attachments')) && runFolders().length === 1);
    const isLogged = async () => (await logged().catch(() => [])).some((one) => one.startsWith('Attachment: a.txt'));
    await waitFor('the event', isLogged);
    await agents.kill();
    const [folder] = runFolders();
    await startAgent();
    writeFileSync(path.join(STATE(), 'runs', folder!, 'go'), '');
    await waitFor('the file', () => shown().length >= 2);
    expect(shown()).toEqual(['Done.', 'sendDocument a.txt: first']);
  });

  it('when the server is away while it is attached', async () => {
    await startAgent();
    write('wait go', 'file a.txt first', attach({ path: 'a.txt' }));
    await waitFor('the run', () => runFolders().length === 1);
    await server.process.kill();
    writeFileSync(path.join(STATE(), 'runs', runFolders()[0]!, 'go'), '');
    await waitFor('the copy', () => copies().length === 1);
    await server.restart();
    await waitFor('the file', () => shown().length >= 2);
    expect(shown()).toEqual(['Done.', 'sendDocument a.txt: first']);
    await waitFor('the copy to go', () => copies().length === 0);
  });
});
