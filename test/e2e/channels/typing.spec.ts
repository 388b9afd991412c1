import type { RunScript } from '../../fakes/fake-agent.js';
import { decisionOf } from '../../support/asking-script.js';
import { ServerProcess } from '../../support/server-process.js';
import { freshStorage, type TestStorage } from '../../support/storage.js';
import { TelegramWorld } from '../../support/telegram-world.js';
import { waitFor } from '../../support/wait.js';

/** Somebody whose run never ends: while typing is shown there, it has ended wherever it is not shown. */
const BUSY = 1;
const ADA = 2;
/** Somebody whose run ends while Ada's waits. */
const EVE = 3;
const REFUND = { name: 'issue_refund', args: { order: 4711 } };

let world: TelegramWorld;
let storage: TestStorage;
let server: ServerProcess;
const ends = new Map<string, () => void>();

beforeAll(async () => {
  world = await TelegramWorld.start();
  storage = await freshStorage();
  server = await ServerProcess.start(storage, { env: world.env });
  await world.connect(server.api, { approvers: [String(ADA)] });
});
afterAll(async () => {
  for (const end of ends.values()) end();
  await server?.stop();
  await world?.close();
  await storage?.dispose();
});

const shownTo = (person: number) => world.telegram.typing.filter((chat) => chat === String(person)).length;

async function end(part: string): Promise<void> {
  (await waitFor(`the run to come to ${part}`, () => ends.get(part)))();
}

/** Waits until the busy person has seen it this many more times; by then everybody with a running run has seen it. */
async function laterBy(count: number): Promise<void> {
  const before = shownTo(BUSY);
  await waitFor('the busy one to see it', () => shownTo(BUSY) >= before + count);
}

async function expectNoMore(...people: number[]): Promise<void> {
  await laterBy(1);
  const before = people.map(shownTo);
  await laterBy(2);
  expect(people.map(shownTo)).toEqual(before);
}

/** Runs until the test ends it; for a refund it then asks a person, and runs until the test ends it again. */
const working: RunScript = async (run, agent) => {
  const ids = { thread_id: run.threadId, trace_id: run.runId, agent_id: agent.name };
  await agent.report({ type: 'thread_started', data: ids });
  await new Promise<void>((resolve) => ends.set(`${run.message} 1`, resolve));
  if (!run.message.startsWith('refund')) return agent.answer(run, 'Done.');
  const waiting = { status: 'waiting_for_approval', pending_tool_calls: [REFUND] };
  await agent.report({ type: 'checkpoint', data: { ...ids, step_index: 0, ...waiting } });
  await decisionOf(run, agent, run.runId);
  await agent.report({ type: 'checkpoint', data: { ...ids, step_index: 1 } });
  await new Promise<void>((resolve) => ends.set(`${run.message} 2`, resolve));
  await agent.answer(run, 'Done.');
};

describe('That an agent is at work', () => {
  it('is shown while it is, not while it waits for a person, then again, and not after its end', async () => {
    world.agent.script = working;
    world.telegram.write(BUSY, 'take your time');
    world.telegram.write(ADA, 'refund me');
    world.telegram.write(EVE, 'greet me');
    await waitFor('the first signs', () => shownTo(ADA) >= 2 && shownTo(EVE) >= 2);
    await end('refund me 1');
    await end('greet me 1');
    const question = await waitFor('the question', () =>
      world.telegram.messages.find(({ buttons }) => buttons.length > 0),
    );
    await waitFor('the answer', () => world.sentTo(EVE).includes('Done.'));
    await expectNoMore(ADA, EVE);
    const whileWaiting = shownTo(ADA);
    world.telegram.press(ADA, question.messageId, 'Approve');
    await waitFor('the next sign', () => shownTo(ADA) >= whileWaiting + 2);
    await end('refund me 2');
    await waitFor('the answer', () => world.sentTo(ADA).includes('Done.'));
  });
});
