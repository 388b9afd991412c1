import { ChatWorld } from '../support/chats/chat-world.mjs';
import { FakeClock, NO_FAKE_CLOCK } from '../support/fake-clock.mjs';
import { until } from '../support/until.mjs';

const JUMPS = ['-1h', '+30m', '-3d', '+0'];
const PEOPLE = 12;
const ANSWER_MS = 60_000;
const GO_ON_MS = 10_000;

/** @type {import('./scenario.mjs').Scenario} */
export const clockChats = {
  name: 'clock-chats',
  title: 'the clock of the machine jumps back and forth while people write to a bot',
  databases: ['sqlite', 'postgres'],
  shortOn: [],
  run,
};

async function run(stage) {
  const promised = 'Chats go on whatever the clock says.';
  const clock = FakeClock.open(stage);
  if (clock === null) return stage.notTried(promised, NO_FAKE_CLOCK);
  stage.tried(`jumps by ${JUMPS.join(', ')} of all clocks while ${PEOPLE} people write`);
  const world = await ChatWorld.open(stage);
  await stage.startServers(stage.instances, { ...world.env, ...clock.env, WAYSTATION_LOG_LEVEL: 'error' });
  const client = stage.client(await stage.entrance());
  await world.connect(() => client, { bots: 1, chatsPerBot: PEOPLE });
  const { people } = world;
  people.begin({ thinkMs: 500 });
  const slowest = [];
  for (const offset of JUMPS) {
    await until('answers', () => people.answered >= 2 * PEOPLE);
    clock.jump(offset);
    slowest.push(`${offset}: ${await slowestAnswer(people)}`);
  }
  const isFast = slowest.every((text) => Number(text.split(': ')[1].split(' ')[0]) < stage.patience(GO_ON_MS));
  stage.expect(
    `${promised} Nobody waits longer than ${stage.patience(GO_ON_MS) / 1000} s.`,
    isFast,
    slowest.join(', '),
  );
  await people.stop(ANSWER_MS);
  // A jump forward expires all servers' leases: one may take over what another is sending, and then reports an unknown outcome.
  const { faults, unknown } = await world.verify({ mayBeUnknown: stage.instances > 1 });
  const seen = `${people.total} messages, ${unknown} answers of which the log does not know whether they were sent`;
  stage.expectNoFault('Every message is answered exactly once.', faults, seen);
  await world.close();
}

/** After a jump everybody writes again and is answered, including those who had asked before. */
async function slowestAnswer(people) {
  const begunMs = performance.now();
  const before = people.answered;
  await until('answers to go on', () => people.answered >= before + 2 * PEOPLE, ANSWER_MS).catch(() => undefined);
  const waitedMs = Math.max(people.longestWaitMs, ...people.latenciesMs.slice(before));
  return `${waitedMs.toFixed(0)} ms, ${people.answered - before} answers in ${((performance.now() - begunMs) / 1000).toFixed(1)} s`;
}
