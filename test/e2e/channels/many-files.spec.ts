import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FakeAgent, type Invocation } from '../../fakes/fake-agent.js';
import { TelegramFake } from '../../fakes/platforms/telegram-fake.js';
import { createReadyChannel, messagesOf, setUpWebhook, telegramOrder } from '../../support/channels.js';
import { peakMegabytes, resetPeak } from '../../support/peak-memory.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const AT_ONCE = 16;
const MIB = 1024 * 1024;
/** Limits in megabytes for memory on the way in and out: a fifth of the files. A busy machine collects garbage later: 36 were seen. */
const MOST = { up: 64, out: 64 };
/** Milliseconds for all files on a machine busy with other tests. */
const LIMIT_MS = 300_000;

const telegram = await TelegramFake.start();
const agent = await FakeAgent.start();
/** In front of the platform: accepts files, discards them, and responds once this many have arrived. */
let expected = 0;
const waiting: (() => void)[] = [];
const front: Server = createServer((request, response) => void answer(request, response));
await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
const frontUrl = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
const server = useServer({ isAlone: true, env: { WAYSTATION_TELEGRAM_API_URL: frontUrl } });
let channelId = '';
let person = 12_000;

beforeAll(async () => {
  const channel = await createReadyChannel(server.api, telegramOrder({ config: { bot_token: telegram.token } }));
  channelId = channel.id;
  await setUpWebhook(server.api, channelId, server.api.baseUrl);
  agent.api = server.api;
  agent.script = () => undefined;
  await agent.beat();
});
afterAll(async () => {
  front.closeAllConnections();
  front.close();
  await telegram.close();
  await agent.close();
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const isFile = request.url?.endsWith('/sendDocument') === true;
  let length = 0;
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (!isFile) chunks.push(chunk);
  }
  const respond = (status: number, body: string) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  if (!isFile) {
    const init = { method: 'POST', body: Buffer.concat(chunks), headers: { 'content-type': 'application/json' } };
    const answered = await fetch(`${telegram.url}${request.url}`, init);
    return void respond(answered.status, await answered.text());
  }
  expect(length).toBeGreaterThan(20 * MIB);
  waiting.push(() => respond(200, JSON.stringify({ ok: true, result: { message_id: 1_000_000 + person } })));
  if (waiting.length === expected) for (const release of waiting.splice(0)) release();
}

/** Runs in separate chats, which wait for the test's reports. */
async function begun(count: number): Promise<Invocation[]> {
  const before = agent.runs.length;
  for (let i = 0; i < count; i++) telegram.write(++person, 'the film');
  await waitFor('the runs', () => agent.runs.length >= before + count);
  return agent.runs.slice(before);
}

function idsOf({ threadId, runId }: Invocation) {
  return { thread_id: threadId, trace_id: runId, agent_id: agent.name };
}

const file = randomBytes(20 * MIB);
const digest = createHash('sha256').update(file).digest('hex');

async function upload({ threadId }: Invocation): Promise<void> {
  const path = `/v1/runners/threads/${encodeURIComponent(threadId)}/attachments/${digest}`;
  const headers = { 'content-type': 'video/x-film' };
  expect((await server.api.send('PUT', path, file, { headers })).status).toBe(201);
}

async function finish(runs: readonly Invocation[]): Promise<void> {
  expected = runs.length;
  const events = runs.flatMap((run) => [
    { type: 'thread_started', data: idsOf(run) },
    { type: 'attachment', data: { ...idsOf(run), digest, size_bytes: file.length, name: 'film.bin' } },
    { type: 'thread_completed', data: idsOf(run) },
  ]);
  await agent.report(...events);
  await waitFor(
    'the files to be sent',
    async () => {
      const rows = await messagesOf(server.api, channelId, { direction: 'out' });
      return rows.filter(({ status }) => status === 'sent').length >= person - 12_000;
    },
    LIMIT_MS,
  );
}

it(
  `${AT_ONCE} files of 20 MiB at once take little memory, on their way up and out`,
  async () => {
    // Like a server that has been in use.
    const first = await begun(8);
    await Promise.all(first.map(upload));
    await finish(first);
    const { pid } = server.process;
    const runs = await begun(AT_ONCE);
    const before = resetPeak(pid);
    await Promise.all(runs.map(upload));
    const up = peakMegabytes(pid) - before;
    const between = resetPeak(pid);
    await finish(runs);
    const out = peakMegabytes(pid) - between;
    console.info(JSON.stringify({ up, out }));
    expect([up < MOST.up, out < MOST.out]).toEqual([true, true]);
  },
  2 * LIMIT_MS,
);
