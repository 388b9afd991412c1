import { freePort } from '../../support/free-port.js';
import { ServerProcess } from '../../support/server-process.js';
import { migratedStorage, type TestStorage } from '../../support/storage.js';
import { TelegramWorld } from '../../support/telegram-world.js';
import { waitFor } from '../../support/wait.js';

const ADA = 42;
const BO = 43;
const DATE = 1_763_600_000;
/** Longer than it takes to kill a server. */
const GATHER_MS = 2_000;

let world: TelegramWorld;
let storage: TestStorage;
let server: ServerProcess | null = null;
let port: number;

beforeAll(async () => {
  world = await TelegramWorld.start((run, agent) => agent.answer(run, 'Yes.'));
  storage = await migratedStorage();
  port = await freePort();
});
afterAll(async () => {
  await server?.stop();
  await world?.close();
  await storage?.dispose();
});

async function start(): Promise<ServerProcess> {
  const place = { WAYSTATION_PORT: String(port), WAYSTATION_GATHER_MS: String(GATHER_MS) };
  server = await ServerProcess.start(storage, { env: { ...world.env, ...place, WAYSTATION_LEASE_SECONDS: '2' } });
  world.agent.api = server.api;
  return server;
}

const picture = (id: string) =>
  world.telegram.write(ADA, undefined as unknown as string, {
    ...{ date: DATE, media_group_id: 'A', photo: [{ file_id: id, file_size: 5, width: 1, height: 1 }] },
  });
const runsOf = (user: number) => world.agent.runs.filter(({ context }) => context.user_id === String(user));

it('kill -9 between the parts of an album leaves it one message: a new server waits for what is delivered again', async () => {
  const first = await start();
  await world.connect(first.api);
  picture('a1');
  await waitFor('the first part', () => world.telegram.pending === 0);
  const endMs = Date.now() + GATHER_MS;
  await first.kill();
  await waitFor('its wait to be over', () => Date.now() > endMs);
  await start();
  await world.agent.beat();
  world.telegram.write(BO, 'hello');
  await waitFor('the dispatcher to be at work', () => runsOf(BO).length === 1);
  for (const id of ['a2', 'a3']) picture(id);
  world.telegram.write(ADA, 'what is this?', { date: DATE });
  await waitFor('both runs', () => runsOf(ADA).length >= 2);
  const ids = runsOf(ADA).map(({ context }) => (context.attachments as { id: string }[]).map(({ id }) => id));
  expect(ids).toEqual([['a1', 'a2', 'a3'], []]);
});
