import { Database } from '../../../src/database/database.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { MovableClock } from '../../support/movable-clock.js';
import { TelegramWorld } from '../../support/telegram-world.js';
import { waitFor } from '../../support/wait.js';

const ADA = 42;
const GRACE = 43;
const HOPPER = 44;
const HOUR_MS = 3_600_000;

const clock = new MovableClock();
let world: TelegramWorld;
let server: InProcessApp;

beforeAll(async () => {
  world = await TelegramWorld.start();
  server = await startApp({ env: world.env, clock });
  await world.connect(server.api);
});
afterAll(async () => {
  await server?.stop();
  await world?.close();
});

describe('A machine that was asleep for two hours', () => {
  it('does not take that for two hours in which a run made no progress', async () => {
    let answer = (): void => undefined;
    world.agent.script = async (run, agent) => {
      await new Promise<void>((resolve) => (answer = resolve));
      await agent.answer(run, 'Good morning.');
    };
    world.telegram.write(HOPPER, 'think about it');
    const log = () => world.log(server.api);
    await waitFor('the run', async () =>
      (await log()).some(({ status, text }) => status === 'started' && text === 'think about it'),
    );
    clock.aheadMs += 2 * HOUR_MS;
    await waitFor('a look at the chat', async () => {
      const [chat] = await server.app
        .get(Database)
        .read<{ work_at: number }>(`SELECT work_at FROM channel_session WHERE lease_owner IS NULL AND work_at > $1`, [
          clock.nowMs(),
        ]);
      return chat !== undefined;
    });
    answer();
    await waitFor('the answer', () => world.sentTo(HOPPER).length > 0);
    expect(world.sentTo(HOPPER)[0]).toBe('Good morning.');
    world.agent.script = (run, agent) => agent.answer(run, `You said: ${run.message}`);
  });
});

describe('A clock that is set back by an hour', () => {
  const answered = (chatId: number, texts: readonly string[]) => {
    const wanted = texts.map((text) => `You said: ${text}`).join();
    return waitFor('the answers', () => world.sentTo(chatId).join() === wanted);
  };

  it('keeps no answer back that waits for the pace of its chat', async () => {
    world.telegram.write(ADA, 'one');
    world.telegram.write(ADA, 'two');
    await answered(ADA, ['one']);
    clock.aheadMs -= HOUR_MS;
    await answered(ADA, ['one', 'two']);
    world.telegram.write(ADA, 'three');
    await answered(ADA, ['one', 'two', 'three']);
  });

  it('keeps no message back that waits for its agent', async () => {
    world.agent.mishaps.push(503, 503);
    world.telegram.write(GRACE, 'anybody there?');
    await waitFor('a try', () => world.agent.calls.some(({ message }) => message === 'anybody there?'));
    clock.aheadMs -= HOUR_MS;
    await waitFor('the answer', () => world.sentTo(GRACE).at(-1) === 'You said: anybody there?');
  });
});
