import { ServerProcess } from '../../support/server-process.js';
import { freshStorage, type TestStorage } from '../../support/storage.js';
import { TelegramWorld } from '../../support/telegram-world.js';
import { waitFor } from '../../support/wait.js';

const PERSON = 100;

let world: TelegramWorld;
let storage: TestStorage;
let server: ServerProcess;

beforeAll(async () => {
  world = await TelegramWorld.start((run, agent) =>
    run.message === 'stuck' ? undefined : agent.answer(run, `You said: ${run.message}`),
  );
  storage = await freshStorage();
  server = await ServerProcess.start(storage, { env: { ...world.env, WAYSTATION_RUN_LIMIT_SECONDS: '10' } });
  await world.connect(server.api);
});
afterAll(async () => {
  await server?.stop();
  await world?.close();
  await storage?.dispose();
});

describe('A message in a chat', () => {
  it('is given up when its run makes no progress, and the next has its turn', async () => {
    world.telegram.write(PERSON, 'stuck');
    world.telegram.write(PERSON, 'go on');
    await waitFor('the answers', () => world.sentTo(PERSON).length >= 2);
    expect(world.sentTo(PERSON)).toEqual([
      'The agent has not made any progress for a long time. Its answer is no longer waited for.',
      'You said: go on',
    ]);
  }, 90_000);
});
