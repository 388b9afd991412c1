import { bind, channelOf, createChannel } from '../../support/channels.js';
import { ServerProcess } from '../../support/server-process.js';
import { testDialect } from '../../support/dialect.js';
import { freshStorage, siblingHome, type TestStorage } from '../../support/storage.js';
import { TelegramWorld } from '../../support/telegram-world.js';
import { waitFor } from '../../support/wait.js';

const ADA = 42;
const POLLING = { transport: 'polling' };
/** A killed poller then holds its bot for 9 seconds; by default for 26. */
const SHORT_LEASE = { WAYSTATION_LEASE_SECONDS: '2', WAYSTATION_PLATFORM_TIMEOUT_MS: '3000' };
/** More than a killed poller's lease. */
const LIMIT_MS = 50_000;
/** Less than the usual lease. */
const SOON_MS = 20_000;
/** Less than the default duration of a poll, which is ten seconds. */
const PROMPT_MS = 8_000;

let world: TelegramWorld;
let storage: TestStorage;
let server: ServerProcess;

async function begin(env: Record<string, string> = {}): Promise<void> {
  world = await TelegramWorld.start();
  storage = await freshStorage();
  server = await ServerProcess.start(storage, { env: { ...world.env, ...env } });
}
afterEach(async () => {
  await server?.stop();
  await world?.close();
  await storage?.dispose();
});

const answers = (count: number) => waitFor('the answers', () => world.sentTo(ADA).length >= count, LIMIT_MS);
const polls = () => world.telegram.requests.filter(({ path }) => path.endsWith('/getUpdates')).length;

async function configure(transport: string): Promise<void> {
  const answer = await server.api.send('PUT', world.path('/config'), {
    config: { bot_token: world.telegram.token, transport },
  });
  if (answer.status !== 200) throw new Error(answer.text);
}

/** Independent of the database. */
if (testDialect() === 'sqlite') {
  describe('A channel that polls', () => {
    beforeEach(() => begin());

    it('hears at once what is written after the code that verified it', async () => {
      const config = { bot_token: world.telegram.token, ...POLLING };
      const channel = await createChannel(server.api, { channel_type: 'telegram', name: 'Support', config });
      await bind(server.api, channel.id, { agent_name: world.agent.name });
      world.agent.api = server.api;
      await world.agent.beat();
      world.telegram.write(ADA, channel.verification_code);
      await answers(1);
      world.telegram.write(ADA, 'hello');
      await waitFor('the answer', () => world.sentTo(ADA).includes('You said: hello'), SOON_MS);
    });

    it('takes the webhook away, and leaves the next one alone', async () => {
      await world.connect(server.api);
      world.telegram.write(ADA, 'by webhook');
      await answers(1);
      expect((await channelOf(server.api, world.channelId)).webhook_url).toContain(server.api.baseUrl);
      await configure('polling');
      expect((await channelOf(server.api, world.channelId)).webhook_url).toBeNull();
      await waitFor('the end of the webhook', () => world.telegram.webhook === null);
      world.telegram.write(ADA, 'by polling');
      await answers(2);
      await configure('webhook');
      await world.setWebhook(server.api);
      world.telegram.write(ADA, 'by webhook again');
      await answers(3);
      expect(world.telegram.webhook).not.toBeNull();
    });

    it('goes on after errors of the platform', async () => {
      world.telegram.failNext('getUpdates', 'break');
      world.telegram.failNext('getUpdates', { status: 502, body: 'Bad Gateway' });
      await world.connect(server.api, POLLING);
      world.telegram.write(ADA, 'hello');
      await answers(1);
    });

    it('does not hold up the end of the process', async () => {
      await world.connect(server.api, POLLING);
      await waitFor('a question', () => world.telegram.requests.some(({ path }) => path.endsWith('/getUpdates')));
      const since = Date.now();
      expect(await server.stop()).toBe(0);
      expect(Date.now() - since).toBeLessThan(PROMPT_MS);
    });
  });
}

describe('A channel whose poller is killed', () => {
  beforeEach(() => begin(SHORT_LEASE));

  it('gets what was written without a public address, once each, across a restart', async () => {
    await world.connect(server.api, POLLING);
    world.telegram.write(ADA, 'one');
    await answers(1);
    await server.kill();
    world.telegram.write(ADA, 'two');
    server = await ServerProcess.start(storage, { env: { ...world.env, ...SHORT_LEASE } });
    world.agent.api = server.api;
    await world.agent.beat();
    await answers(2);
    world.telegram.write(ADA, 'three');
    await answers(3);
    expect(world.sentTo(ADA)).toEqual(['You said: one', 'You said: two', 'You said: three']);
    expect(world.agent.runs).toHaveLength(3);
  });

  /** SQLite has one process. */
  if (testDialect() !== 'postgres') return;

  it('is asked about by one instance of two, and by the other one when that dies, within its lease', async () => {
    await world.connect(server.api, POLLING);
    await waitFor('a question', () => polls() > 0);
    const conflicts = world.telegram.conflicts;
    const home = await siblingHome(storage);
    const second = await ServerProcess.start(storage, { env: { ...world.env, ...SHORT_LEASE, WAYSTATION_HOME: home } });
    try {
      world.telegram.write(ADA, 'one');
      await answers(1);
      const before = polls();
      // Each waits a second at the platform, so the other poller's request would have met one of them.
      await waitFor('more questions', () => polls() >= before + 2, LIMIT_MS);
      expect(world.telegram.conflicts).toBe(conflicts);
      await server.kill();
      world.agent.api = second.api;
      world.telegram.write(ADA, 'two');
      await answers(2);
      expect(world.sentTo(ADA)).toEqual(['You said: one', 'You said: two']);
      expect(world.agent.runs).toHaveLength(2);
    } finally {
      await second.stop();
    }
  });
});
