import { get, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { FakeAgent } from '../../fakes/fake-agent.js';
import { TelegramFake } from '../../fakes/platforms/telegram-fake.js';
import { createReadyChannel, setUpWebhook, telegramOrder } from '../../support/channels.js';
import { problemOf } from '../../support/problem.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const PERSON = 14_000;
/** More than the connections between platform, server and agent buffer. */
const BYTES = Buffer.alloc(20 * 1024 * 1024, 7);
const AT_ONCE = 16;
/** Seconds without a byte after which a transfer is cut off. */
const IDLE_SECONDS = 30;

const telegram = await TelegramFake.start();
const agent = await FakeAgent.start();
const server = useServer({ env: { WAYSTATION_TELEGRAM_API_URL: telegram.url } });
afterAll(() => Promise.all([telegram.close(), agent.close()]));

it('Files that a platform stops sending, and files that nobody reads, end after half a minute and make room for others', async () => {
  const channel = await createReadyChannel(server.api, telegramOrder({ config: { bot_token: telegram.token } }));
  await setUpWebhook(server.api, channel.id, server.api.baseUrl);
  agent.api = server.api;
  await agent.beat();
  telegram.files.set('film', BYTES);
  const document = { file_id: 'film', file_size: BYTES.length, file_name: 'film.bin' };
  telegram.write(PERSON, '', { text: undefined, document });
  const run = await waitFor('the run', () => agent.runs[0]);
  const [{ href }] = run.context.attachments as [{ href: string }];
  const headers = { authorization: `Bearer ${server.api.token}` };
  const open = async (): Promise<IncomingMessage> => {
    const call = get(`${server.api.baseUrl}${href}`, { headers, agent: false });
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    response.on('error', () => undefined);
    return response;
  };
  const begunMs = performance.now();
  const seconds = () => (performance.now() - begunMs) / 1_000;
  const stalled: IncomingMessage[] = [];
  for (let i = 0; i < AT_ONCE / 2; i++) {
    telegram.failNext('film', 'stall');
    stalled.push(await open());
  }
  for (const response of stalled) response.resume();
  const unread = [];
  for (let i = 0; i < AT_ONCE / 2; i++) unread.push(await open());
  expect(problemOf(await server.api.get(href), 503).code).toBe('too_many_transfers');
  expect(seconds()).toBeLessThan(IDLE_SECONDS);
  const closing = (response: IncomingMessage) => new Promise((resolve) => response.once('close', resolve));
  await Promise.all(stalled.map(closing));
  expect(stalled.map(({ complete }) => complete)).toEqual(stalled.map(() => false));
  expect(seconds()).toBeGreaterThan(IDLE_SECONDS);
  // The maximum again: the ones that nobody reads are gone too.
  const others = await waitFor('room for as many', async () => {
    const opened = await Promise.all(Array.from({ length: AT_ONCE }, open));
    const isOpen = opened.every(({ statusCode }) => statusCode === 200);
    if (!isOpen) for (const response of opened) response.destroy();
    return isOpen && opened;
  });
  for (const response of [...others, ...unread]) response.destroy();
}, 300_000);
