import { FakeAgent } from '../../fakes/fake-agent.js';
import { WhatsappFake } from '../../fakes/platforms/whatsapp-fake.js';
import { connectWhatsapp, messagesOf, type CreatedChannel } from '../../support/channels.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { MovableClock } from '../../support/movable-clock.js';
import { problemOf } from '../../support/problem.js';
import { migratedStorage, type TestStorage } from '../../support/storage.js';
import { waitFor } from '../../support/wait.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const LOST = 'This kind of message does not reach the agent. Please send text, a picture, a voice message or a file.';
const PERSON = '491700';

const clock = new MovableClock();
let whatsapp: WhatsappFake;
let agent: FakeAgent;
let storage: TestStorage;
let server: InProcessApp | null = null;
let channel: CreatedChannel;
let nextId = 1;

async function start(more: Record<string, string> = {}): Promise<void> {
  await server?.stop();
  server = await startApp({ storage, clock, env: { WAYSTATION_WHATSAPP_API_URL: whatsapp.url, ...more } });
  whatsapp.receiverUrl = `${server.api.baseUrl}/v1/channels/webhook/whatsapp`;
  agent.api = server.api;
  await agent.beat();
}

beforeAll(async () => {
  whatsapp = await WhatsappFake.start();
  agent = await FakeAgent.start();
  storage = await migratedStorage();
  await start();
  channel = await connectWhatsapp(server!.api, whatsapp);
});
afterAll(async () => {
  await server?.stop();
  await agent?.close();
  await whatsapp?.close();
  await storage?.dispose();
});

async function deliver(message: Record<string, unknown>): Promise<void> {
  whatsapp.open.add(PERSON);
  const own = { from: PERSON, id: `wamid.${nextId++}`, timestamp: String(Math.floor(clock.nowMs() / 1000)) };
  const { status } = await whatsapp.deliver(whatsapp.batch([{ ...own, ...message }]));
  expect(status).toBe(200);
}

/** The address where the agent fetches a document that somebody sends. */
async function hrefOf(id: string): Promise<string> {
  const count = agent.runs.length;
  await deliver({ type: 'document', document: { id, mime_type: 'application/zip', filename: 'a.zip' } });
  const run = await waitFor('the run', () => agent.runs[count]);
  return (run.context.attachments as { href: string }[])[0]!.href;
}

/** Meta serves the file once: first its address, then its bytes. */
function willGive(id: string, bytes: Buffer): void {
  const place = { url: `${whatsapp.url}/bytes/${id}`, mime_type: 'application/zip', file_size: bytes.length, id };
  whatsapp.failNext(`^/${id}$`, { status: 200, body: place });
  whatsapp.failNext(`^/bytes/${id}$`, { status: 200, body: bytes });
}

const asked = (id: string) => whatsapp.requests.filter(({ path }) => path === `/${id}`).length;

describe('What WhatsApp does not pass on', () => {
  const unsupported = { type: 'unsupported', errors: [{ code: 131051, title: 'Message type unknown' }] };
  const told = async () => {
    const rows = await messagesOf(server!.api, channel.id, { direction: 'out' });
    return rows.filter(({ text }) => text === LOST).length;
  };

  it('is answered once in 24 hours, also where a day ends between two messages', async () => {
    const toMidnight = DAY_MS - (clock.nowMs() % DAY_MS);
    clock.aheadMs += toMidnight - MINUTE_MS;
    await deliver(unsupported);
    await deliver(unsupported);
    clock.aheadMs += 2 * MINUTE_MS;
    await deliver(unsupported);
    expect(await told()).toBe(1);
    clock.aheadMs += DAY_MS - 3 * MINUTE_MS;
    await deliver(unsupported);
    expect(await told()).toBe(1);
    clock.aheadMs += 2 * MINUTE_MS;
    await deliver(unsupported);
    await deliver(unsupported);
    expect(await told()).toBe(2);
  });
});

describe('A file on WhatsApp', () => {
  it('is gone after 7 days, which nobody asks Meta', async () => {
    const href = await hrefOf('old');
    willGive('old', Buffer.from('x'));
    expect((await server!.api.get(href)).status).toBe(200);
    clock.aheadMs += 7 * DAY_MS + MINUTE_MS;
    expect(problemOf(await server!.api.get(href), 410).code).toBe('attachment_gone');
    expect(asked('old')).toBe(1);
  });

  it('that Meta has no more is not asked for again, nor after a restart', async () => {
    const href = await hrefOf('lost');
    expect(problemOf(await server!.api.get(href), 410).code).toBe('attachment_gone');
    await start();
    expect(problemOf(await server!.api.get(href), 410).code).toBe('attachment_gone');
    expect(asked('lost')).toBe(1);
  });

  it('above WAYSTATION_ATTACHMENT_MAX_BYTES is too large, which its sender reads once', async () => {
    const href = await hrefOf('large');
    await start({ WAYSTATION_ATTACHMENT_MAX_BYTES: '1999' });
    for (let times = 0; times < 2; times++) {
      willGive('large', Buffer.alloc(2_000));
      expect(problemOf(await server!.api.get(href), 413).code).toBe('attachment_too_large');
    }
    const words = async () =>
      (await messagesOf(server!.api, channel.id, { direction: 'out' })).filter(({ text }) =>
        /^a\.zip is larger than .+, so the agent cannot open it\.$/.test(String(text)),
      );
    await waitFor('the word to its sender', async () => (await words())[0]?.status === 'sent');
    expect(await words()).toHaveLength(1);
    await start({ WAYSTATION_ATTACHMENT_MAX_BYTES: '2000' });
    willGive('large', Buffer.alloc(2_000));
    expect((await server!.api.get(href)).status).toBe(200);
  });
});
