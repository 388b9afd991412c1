import { Clock } from '../../../src/common/clock.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { TelegramWorld } from '../../support/telegram-world.js';
import { waitFor } from '../../support/wait.js';

const ADA = 42;
const GRACE = 43;
const HOUR_MS = 3_600_000;

class MovableClock extends Clock {
  aheadMs = 0;

  override nowMs(): number {
    return Date.now() + this.aheadMs;
  }
}

describe('A clock that is set back by an hour', () => {
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
