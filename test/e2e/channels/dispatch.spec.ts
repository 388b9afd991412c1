import { ServerProcess } from '../../support/server-process.js';
import { freshStorage, type TestStorage } from '../../support/storage.js';
import { TelegramWorld } from '../../support/telegram-world.js';
import { waitFor } from '../../support/wait.js';

const ADA = 42;

describe('A message in a chat', () => {
  let world: TelegramWorld;
  let storage: TestStorage;
  let server: ServerProcess;

  beforeAll(async () => {
    world = await TelegramWorld.start();
    storage = await freshStorage();
    server = await ServerProcess.start(storage, { env: world.env });
    await world.connect(server.api);
  });
  afterAll(async () => {
    expect(await server.stop()).toBe(0);
    await world.close();
    await storage.dispose();
  });

  it('reaches the agent, and its answer the chat', async () => {
    world.telegram.write(ADA, 'Where is my parcel?');
    await waitFor('the answer', () => world.sentTo(ADA).length === 1);
    expect(world.sentTo(ADA)).toEqual(['You said: Where is my parcel?']);
    const [run] = world.agent.runs;
    expect(run!.context).toMatchObject({
      channel_id: world.channelId,
      channel_type: 'telegram',
      chat_id: '42',
      user_id: '42',
      user_name: 'User 42',
      attachments: [],
    });
    const log = await world.log(server.api);
    expect(log).toMatchObject([
      { direction: 'in', status: 'done', run_id: run!.runId },
      { direction: 'out', kind: 'text' },
    ]);
  });
});
