import { ChatWorld } from '../support/chats/chat-world.mjs';
import { FakeClock, NO_FAKE_CLOCK } from '../support/fake-clock.mjs';
import { until } from '../support/until.mjs';

const TAKE_OVER_MS = 30_000;
const ANSWER_MS = 60_000;
const BOTS = 4;
/** A poller's lease is then 8 s instead of 26. */
const SHORT_WAITS = { WAYSTATION_LEASE_SECONDS: '2', WAYSTATION_PLATFORM_TIMEOUT_MS: '2000' };

/** @type {import('./scenario.mjs').Scenario} */
export const lostPoller = {
  name: 'lost-poller',
  title: 'servers that ask Telegram for updates are killed with -9, at last while the clock is set back',
  databases: ['postgres'],
  run,
};

async function run(stage) {
  const rounds = stage.isShort ? 1 : Math.min(stage.rounds, 5);
  const chatsPerBot = stage.isShort ? 1 : 5;
  const clock = FakeClock.open(stage);
  const world = await ChatWorld.open(stage);
  const env = { ...world.env, ...(stage.isShort ? SHORT_WAITS : {}), ...clock?.env };
  await stage.startServers(stage.sizes.instances, env);
  const proxy = await stage.proxy();
  const client = stage.client(proxy);
  await world.connect(() => client, { bots: BOTS, chatsPerBot, isPolled: true });
  stage.tried(
    `${rounds} times kill -9 of all but the newest of ${stage.servers.length + 1} servers, which poll for ${BOTS} bots; ${BOTS * chatsPerBot} people write all the time`,
  );
  world.people.begin({ thinkMs: 500 });
  const killAll = () => killAllButNewest(stage, { world, proxy, env });
  const seconds = [];
  for (let round = 0; round < rounds; round += 1) seconds.push(await killAll());
  expectTakenOver(stage, 'The newest asks for the updates of all bots within 30 s.', seconds);
  const promised = 'It does so when the clock was set back by an hour meanwhile.';
  if (clock === null) stage.notTried(promised, NO_FAKE_CLOCK);
  else expectTakenOver(stage, promised, [await killAllButNewest(stage, { world, proxy, env, clock })]);
  await expectAnswered(stage, world);
  await world.close();
}

/** @returns {Promise<number>} seconds until all bots' updates were polled again */
async function killAllButNewest(stage, { world, proxy, env, clock }) {
  await answersGoOn(world);
  const queues = [...world.telegram.queues.values()];
  const victims = [...stage.servers];
  const newest = await stage.startServer(env);
  victims.forEach((victim) => proxy.replace(victim, newest));
  clock?.jump('-1h');
  await Promise.all(victims.map((victim) => stage.kill(victim)));
  const killedMs = performance.now();
  const isAsked = () => queues.every(({ askedMs }) => askedMs > killedMs);
  await until('updates to be asked for', isAsked, ANSWER_MS).catch(() => undefined);
  const slowestMs = Math.max(...queues.map(({ askedMs }) => (askedMs > killedMs ? askedMs - killedMs : Infinity)));
  await stage.startServers(victims.length - 1, env);
  return slowestMs / 1000;
}

async function answersGoOn({ people }) {
  const enough = people.answered + 2 * people.written.size;
  await until('answers', () => people.answered >= enough, ANSWER_MS);
}

function expectTakenOver(stage, promised, seconds) {
  const seen = `after ${seconds.map((each) => each.toFixed(1)).join(', ')} s`;
  stage.expect(promised, Math.max(...seconds) * 1000 < TAKE_OVER_MS, seen);
}

async function expectAnswered(stage, world) {
  await world.people.stop(ANSWER_MS);
  const { faults, unknown } = await world.verify({ mayBeUnknown: true });
  const conflicts = [...world.telegram.queues.values()].reduce((sum, queue) => sum + queue.conflicts, 0);
  faults.add(conflicts === 0 ? null : `Telegram was asked for the same updates twice at once, ${conflicts} times`);
  stage.expectNoFault(
    'No message is lost, none starts two runs, no answer is sent twice, and no two servers ask at once.',
    faults,
    `${world.people.total} messages, ${unknown} answers unknown, ${world.people.timesText}`,
  );
}
