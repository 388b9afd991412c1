import { createHash, randomBytes } from 'node:crypto';
import { FakeAgent } from '../../fakes/fake-agent.js';
import { TelegramFake } from '../../fakes/platforms/telegram-fake.js';
import { createReadyChannel, messagesOf, setUpWebhook, telegramOrder } from '../../support/channels.js';
import { freePort } from '../../support/free-port.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const PERSON = 13_000;
/** More than a connection buffers. */
const BYTES = randomBytes(20 * 1024 * 1024);
/**
 * Milliseconds that a slow platform takes for each 64 KiB, so that the whole file takes a minute; and the limit for a server's shutdown.
 */
const SLOW_MS = 200;
const STOP_LIMIT_MS = 30_000;

const telegram = await TelegramFake.start();
const agent = await FakeAgent.start();
const server = useServer({
  env: { WAYSTATION_TELEGRAM_API_URL: telegram.url, WAYSTATION_PORT: String(await freePort()) },
});
afterAll(() => Promise.all([telegram.close(), agent.close()]));

it('A server that is stopped while it sends a file ends soon, and the file is sent after its next start, once', async () => {
  const channel = await createReadyChannel(server.api, telegramOrder({ config: { bot_token: telegram.token } }));
  await setUpWebhook(server.api, channel.id, server.api.baseUrl);
  agent.api = server.api;
  await agent.beat();
  const digest = createHash('sha256').update(BYTES).digest('hex');
  agent.script = async ({ threadId, runId }) => {
    const ids = { thread_id: threadId, trace_id: runId, agent_id: agent.name };
    const path = `/v1/runners/threads/${encodeURIComponent(threadId)}/attachments/${digest}`;
    const headers = { 'content-type': 'application/octet-stream' };
    expect((await server.api.send('PUT', path, BYTES, { headers })).status).toBe(201);
    await agent.report(
      { type: 'thread_started', data: ids },
      { type: 'attachment', data: { ...ids, digest, size_bytes: BYTES.length, name: 'film.bin' } },
      { type: 'thread_completed', data: ids },
    );
  };
  const fileRow = async () =>
    (await messagesOf(server.api, channel.id, { direction: 'out' })).find(({ kind }) => kind === 'file');
  telegram.slowDown(() => SLOW_MS);
  telegram.write(PERSON, 'the film');
  await waitFor('the file to be on its way', async () => (await fileRow())?.status === 'sending');
  const begunMs = performance.now();
  await server.process.stop();
  expect(performance.now() - begunMs).toBeLessThan(STOP_LIMIT_MS);
  telegram.slowDown(() => 0);
  await server.restart();
  await waitFor('the file to be sent', async () => (await fileRow())?.status === 'sent');
  const shown = telegram.messages.flatMap(({ file }) => file ?? []);
  expect(shown.map(({ bytes }) => createHash('sha256').update(bytes).digest('hex'))).toEqual([digest]);
});
