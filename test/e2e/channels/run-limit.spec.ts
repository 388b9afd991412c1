import { askingScript } from '../../support/asking-script.js';
import { ServerProcess } from '../../support/server-process.js';
import { freshStorage, type TestStorage } from '../../support/storage.js';
import { TelegramWorld } from '../../support/telegram-world.js';
import { waitFor } from '../../support/wait.js';

const PERSON = 100;
const asking = askingScript({ name: 'issue_refund', args: {} });

let world: TelegramWorld;
let storage: TestStorage;
let server: ServerProcess;

beforeAll(async () => {
  world = await TelegramWorld.start((run, agent) => {
    if (run.message === 'stuck') return undefined;
    return run.message === 'refund me' ? asking(run, agent) : agent.answer(run, `You said: ${run.message}`);
  });
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
      'The agent has made no progress for a long time. This chat no longer waits for its answer.',
      'You said: go on',
    ]);
  });

  it('waits no longer for a person whom no question is known to reach', async () => {
    for (let times = 0; times < 100; times++) world.telegram.failNext('sendMessage', 'break');
    world.telegram.write(PERSON, 'refund me');
    world.telegram.write(PERSON, 'now?');
    await waitFor('the run of the next', () => world.agent.runs.some(({ message }) => message === 'now?'));
    const ended = (await world.log(server.api)).find(
      ({ text, direction }) => direction === 'in' && text === 'refund me',
    );
    expect(ended).toMatchObject({ status: 'failed', reason: 'the run made no progress for 10 s' });
  });
});
