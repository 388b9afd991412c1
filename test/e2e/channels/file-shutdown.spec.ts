import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { FakeAgent } from '../../fakes/fake-agent.js';
import { TelegramFake } from '../../fakes/platforms/telegram-fake.js';
import { createReadyChannel, messagesOf, setUpWebhook, telegramOrder } from '../../support/channels.js';
import { freePort } from '../../support/free-port.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const PERSON = 13_000;
/** More than a connection buffers. */
const BYTES = randomBytes(20 * 1024 * 1024);
/** Milliseconds that the platform takes for each 64 KiB: the whole file takes a minute, or nothing moves once the buffers are full. */
const PAUSES_MS = [
  ['slowly', 200, 0],
  ['not at all', 300_000, 3_000],
] as const;
/** For a server's shutdown. */
const STOP_LIMIT_MS = 30_000;

const telegram = await TelegramFake.start();
const agent = await FakeAgent.start();
const server = useServer({
  env: { WAYSTATION_TELEGRAM_API_URL: telegram.url, WAYSTATION_PORT: String(await freePort()) },
});
let channelId: string;
const digest = createHash('sha256').update(BYTES).digest('hex');

beforeAll(async () => {
  const channel = await createReadyChannel(server.api, telegramOrder({ config: { bot_token: telegram.token } }));
  channelId = channel.id;
  await setUpWebhook(server.api, channelId, server.api.baseUrl);
  agent.api = server.api;
  await agent.beat();
  agent.script = async ({ threadId, runId }) => {
    const ids = { thread_id: threadId, trace_id: runId, agent_id: agent.name };
    const path = `/v1/runners/threads/${encodeURIComponent(threadId)}/attachments/${digest}`;
    const headers = { 'content-type': 'application/octet-stream' };
    expect((await server.api.send('PUT', path, BYTES, { headers })).status).toBeLessThan(300);
    await agent.report(
      { type: 'thread_started', data: ids },
      { type: 'attachment', data: { ...ids, digest, size_bytes: BYTES.length, name: 'film.bin' } },
      { type: 'thread_completed', data: ids },
    );
  };
});
afterAll(() => Promise.all([telegram.close(), agent.close()]));

describe('A server that is stopped while it sends a file', () => {
  it.each(PAUSES_MS)(
    'that the platform takes %s ends soon, and sends it after its next start, once',
    async (_, ms, fillMs) => {
      const fileRow = async () =>
        (await messagesOf(server.api, channelId, { direction: 'out' })).findLast(({ kind }) => kind === 'file');
      telegram.messages.length = 0;
      telegram.slowDown(() => ms);
      telegram.write(PERSON, 'the film');
      await waitFor('the file to be on its way', async () => (await fileRow())?.status === 'sending');
      await pause(fillMs);
      const begunMs = performance.now();
      await server.process.stop();
      expect(performance.now() - begunMs).toBeLessThan(STOP_LIMIT_MS);
      telegram.slowDown(() => 0);
      await server.restart();
      await waitFor('the file to be sent', async () => (await fileRow())?.status === 'sent');
      const shown = telegram.messages.flatMap(({ file }) => file ?? []);
      expect(shown.map(({ bytes }) => createHash('sha256').update(bytes).digest('hex'))).toEqual([digest]);
    },
  );
});
