import type { RunScript } from '../../fakes/fake-agent.js';
import { testDialect } from '../../support/dialect.js';
import { ServerProcess } from '../../support/server-process.js';
import { freshStorage, siblingHome, type TestStorage } from '../../support/storage.js';
import { TelegramWorld } from '../../support/telegram-world.js';
import { waitFor } from '../../support/wait.js';
import { freePort } from '../../support/free-port.js';

const PEOPLE = 12;
/** More with `WAYSTATION_TEST_KILLS`. */
const ROUNDS = Number(process.env.WAYSTATION_TEST_KILLS ?? 4);
const LEASE = { WAYSTATION_LEASE_SECONDS: '2' };

let world: TelegramWorld;
let storage: TestStorage;
const servers: ServerProcess[] = [];

const unique: RunScript = (run, agent) => agent.answer(run, `answer to ${run.message}`);

beforeEach(async () => {
  world = await TelegramWorld.start(unique);
  storage = await freshStorage();
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
  await world?.close();
  await storage?.dispose();
});

async function start(port: number, home = storage.home): Promise<ServerProcess> {
  const env = { ...world.env, ...LEASE, WAYSTATION_HOME: home, WAYSTATION_PORT: String(port) };
  const server = await ServerProcess.start(storage, { env });
  servers.push(server);
  world.agent.api = server.api;
  return server;
}

/** Every message began one run, and its reply was sent at most once; otherwise the log says why not. */
async function verify(server: ServerProcess, messages: readonly string[]): Promise<void> {
  await waitFor('all to be worked off', async () => {
    const log = await world.log(server.api);
    const isOpen = ({ status }: { status: string }) => ['received', 'started', 'queued', 'sending'].includes(status);
    const came = log.filter(({ direction, kind }) => direction === 'in' && kind === 'message').length;
    return came === messages.length && !log.some(isOpen);
  });
  expect(world.agent.runs.map(({ message }) => message).sort()).toEqual([...messages].sort());
  const log = await world.log(server.api);
  for (const message of messages) {
    const sent = world.telegram.messages.filter(({ text }) => text === `answer to ${message}`);
    const rows = log.filter(({ direction, text }) => direction === 'out' && text === `answer to ${message}`);
    expect([message, rows.length]).toEqual([message, 1]);
    expect([message, sent.length <= 1]).toEqual([message, true]);
    if (sent.length === 0) expect(rows[0]).toMatchObject({ status: 'unknown' });
  }
  expect(log.filter(({ direction, status }) => direction === 'in' && status !== 'done')).toEqual([]);
}

describe('kill -9 of a server with chats', () => {
  it('loses no message, starts none twice, and answers none twice', async () => {
    const port = await freePort();
    let server = await start(port);
    await world.connect(server.api);
    const messages: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      for (let person = 1; person <= PEOPLE; person++) {
        const message = `round ${round} of ${person}`;
        messages.push(message);
        world.telegram.write(person, message);
      }
      const target = messages.length - PEOPLE;
      // A little later in each round: received, started, ended, sent.
      await waitFor('some of it', () => world.agent.runs.length > target + round || world.telegram.pending === 0);
      await server.kill();
      servers.length = 0;
      server = await start(port);
      await world.agent.beat();
    }
    await verify(server, messages);
  });

  /** SQLite has one process. */
  if (testDialect() !== 'postgres') return;

  it('of one of two servers that share the work leaves it to the other', async () => {
    const [first, second] = [await start(await freePort()), await start(await freePort(), await siblingHome(storage))];
    await world.connect(first.api);
    const messages: string[] = [];
    for (let round = 0; round < 4; round++) {
      for (let person = 1; person <= PEOPLE; person++) {
        const message = `round ${round} of ${person}`;
        messages.push(message);
        world.telegram.write(person, message);
      }
      await waitFor('some of it', () => world.agent.runs.length > messages.length - PEOPLE + 2 * round);
    }
    await waitFor('all to be received', () => world.telegram.pending === 0);
    await first.kill();
    servers.splice(servers.indexOf(first), 1);
    world.agent.api = second.api;
    await verify(second, messages);
  });
});
