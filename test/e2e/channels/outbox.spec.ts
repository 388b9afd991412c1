import type { RunScript } from '../../fakes/fake-agent.js';
import { TelegramFake } from '../../fakes/platforms/telegram-fake.js';
import { ServerProcess } from '../../support/server-process.js';
import { freshStorage, type TestStorage } from '../../support/storage.js';
import { TelegramWorld } from '../../support/telegram-world.js';
import { waitFor } from '../../support/wait.js';

let world: TelegramWorld;
let storage: TestStorage;
let server: ServerProcess;
let person = 500;

beforeAll(async () => {
  world = await TelegramWorld.start();
  storage = await freshStorage();
  server = await ServerProcess.start(storage, { env: { ...world.env, WAYSTATION_PLATFORM_TIMEOUT_MS: '4000' } });
  await world.connect(server.api);
});
beforeEach(() => {
  person += 1;
  world.agent.script = answering('Hello!');
});
afterAll(async () => {
  await server?.stop();
  await world?.close();
  await storage?.dispose();
});

const answering =
  (text: string): RunScript =>
  (run, agent) =>
    agent.answer(run, text);

async function outcome(text: string) {
  return waitFor(`the outcome of ${text}`, async () => {
    const found = (await world.log(server.api)).find((row) => row.direction === 'out' && row.text.includes(text));
    return found && !['queued', 'sending'].includes(found.status) ? found : undefined;
  });
}

describe('An answer', () => {
  it('that is too long for one message comes in several, in order', async () => {
    const words = Array.from({ length: 1500 }, (_, i) => `word${i}`);
    world.agent.script = answering(words.join(' '));
    world.telegram.write(person, 'tell me all');
    await waitFor('all parts', () => world.sentTo(person).join(' ').includes('word1499'));
    expect(world.sentTo(person).join(' ').split(/\s+/)).toEqual(words);
    expect(world.sentTo(person).length).toBeGreaterThan(2);
  });

  it('waits as long as the platform says', async () => {
    const limit = TelegramFake.error(429, 'Too Many Requests: retry after 2', { retry_after: 2 });
    world.telegram.failNext('sendMessage', limit);
    world.telegram.write(person, 'hi');
    await waitFor('the answer', () => world.sentTo(person).length === 1);
    const [refused, taken] = sendings();
    expect(taken!.atMs - refused!.atMs).toBeGreaterThanOrEqual(1_900);
    expect(sendings()).toHaveLength(2);
  });

  it.each(['hang', 'break-after', 'half'] as const)(
    'of which nobody knows whether it was sent (%s) is not sent again, and the next one is',
    async (mishap) => {
      world.agent.script = (run, agent) => agent.answer(run, `about ${run.message} ${person}`);
      world.telegram.failNext('sendMessage', mishap);
      world.telegram.write(person, 'first');
      expect(await outcome(`about first ${person}`)).toMatchObject({ status: 'unknown' });
      world.telegram.write(person, 'second');
      expect(await outcome(`about second ${person}`)).toMatchObject({ status: 'sent' });
      expect(sendings()).toHaveLength(2);
    },
  );

  it('to somebody who has blocked the bot fails, until that person writes again', async () => {
    world.agent.script = (run, agent) => agent.answer(run, `about ${run.message} ${person}`);
    world.telegram.blocked.add(String(person));
    world.telegram.write(person, 'one');
    expect(await outcome(`about one ${person}`)).toMatchObject({
      status: 'failed',
      reason: expect.stringMatching(/blocked/),
    });
    world.telegram.blocked.delete(String(person));
    world.telegram.write(person, 'two');
    expect(await outcome(`about two ${person}`)).toMatchObject({ status: 'sent' });
  });

  it('follows a group that got another id', async () => {
    const group = -person;
    const newId = -1_000_000_000_000 - person;
    world.agent.script = answering(`Hello group ${person}`);
    const moved = { migrate_to_chat_id: newId };
    world.telegram.chats.add(String(newId));
    world.telegram.failNext(
      'sendMessage',
      TelegramFake.error(400, 'Bad Request: group chat was upgraded to a supergroup chat', moved),
    );
    const mention = { entities: [{ type: 'bot_command', offset: 0, length: 3 }] };
    world.telegram.writeInGroup(group, person, '/hi', mention);
    await waitFor('the answer in the new group', () => world.sentTo(newId).length === 1);
    expect(world.sentTo(group)).toEqual([]);
  });
});

/** Calls of sendMessage for this person's chat. */
function sendings() {
  return world.telegram.requests.filter(
    ({ path, body }) => path.endsWith('/sendMessage') && String(body.chat_id) === String(person),
  );
}
