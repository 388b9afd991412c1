import { ChatWorld } from '../support/chats/chat-world.mjs';
import { LaneWatch } from '../support/chats/lane-watch.mjs';
import { until } from '../support/until.mjs';

const ANSWER_MS = 60_000;
/** Limit in milliseconds between an answer and a person's next message; Telegram takes one message per second and chat. */
const THINK_MS = 500;

/** @type {import('./scenario.mjs').Scenario} */
export const chats = {
  name: 'chats',
  title: 'people write to bots all the time, and all servers look for work; then each of them is restarted',
  databases: ['postgres'],
  run,
};

async function run(stage) {
  const size = stage.isShort ? { bots: 2, chatsPerBot: 6 } : { bots: 10, chatsPerBot: 20 };
  const [before, between] = stage.isShort ? [24, 6] : [4000, 400];
  const world = await ChatWorld.open(stage);
  await stage.startServers(stage.sizes.instances, world.env);
  const proxy = await stage.proxy();
  const client = stage.client(proxy);
  await world.connect(() => client, size);
  const { people, agent } = world;
  stage.tried(
    `${size.bots * size.chatsPerBot} people write through a proxy to ${stage.servers.length} servers; after ${before} answers each server is restarted`,
  );
  const watch = await LaneWatch.open(stage.databaseUrl);
  people.begin({ thinkMs: THINK_MS });
  await until('answers', () => people.answered >= before, before * 100 + ANSWER_MS);
  const holders = watch.holders.size;
  await restartAll(stage, { world, proxy, between });
  await people.stop(ANSWER_MS);
  await watch.close();
  const { faults } = await world.verify();
  const calls = [...agent.runs.values()].reduce((sum, run) => sum + run.calls, 0);
  stage.expectNoFault(
    'Every message starts one run and is answered once, those of a conversation one after the other.',
    faults,
    `${people.total} messages, ${agent.runs.size} runs, ${calls} invocations, worked off by ${holders} servers before the restarts; ${people.timesText}`,
  );
  await world.close();
}

async function restartAll(stage, { world, proxy, between }) {
  const { people, env } = world;
  for (const server of [...stage.servers]) {
    const enough = people.answered + between;
    await until('answers to go on', () => people.answered >= enough, ANSWER_MS);
    await stage.stop(server);
    const fresh = await stage.startServer(env);
    proxy.replace(server, fresh);
  }
}
