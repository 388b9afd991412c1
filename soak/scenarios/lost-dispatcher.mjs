import { setTimeout as pause } from 'node:timers/promises';
import { answerTo } from '../../bench/chats/agent.mjs';
import { ChatWorld } from '../support/chats/chat-world.mjs';
import { until } from '../support/until.mjs';

/** The short form has shorter leases, but runs beside other tests. */
const TAKE_OVER_MS = { short: 60_000, full: 30_000 };
const ANSWER_MS = 60_000;
const BOTS = 4;
/** Instead of half a minute and 15 s. */
const SHORT_WAITS = { WAYSTATION_LEASE_SECONDS: '2', WAYSTATION_PLATFORM_TIMEOUT_MS: '2000' };

/** @type {import('./scenario.mjs').Scenario} */
export const lostDispatcher = {
  name: 'lost-dispatcher',
  title: 'one of several servers is killed with -9 while it starts runs, waits for them and sends answers',
  databases: ['postgres'],
  run,
};

async function run(stage) {
  const rounds = stage.isShort ? 1 : Math.min(stage.rounds, 5);
  const chatsPerBot = stage.isShort ? 4 : 10;
  const world = await ChatWorld.open(stage);
  const env = { ...world.env, ...(stage.isShort ? SHORT_WAITS : {}) };
  await stage.startServers(stage.sizes.instances, env);
  const proxy = await stage.proxy();
  const proxied = stage.client(proxy);
  await world.connect(() => proxied, { bots: BOTS, chatsPerBot });
  stage.tried(
    `${rounds} times kill -9 of one of ${stage.servers.length} servers: of ${BOTS * chatsPerBot} people a quarter waits for an agent that has not answered yet, ` +
      'a quarter for a run, a quarter for what comes after a message that Telegram has not acknowledged; the others write all the time',
  );
  const kinds = new Kinds(world);
  world.people.begin({ chats: kinds.others, thinkMs: 500 });
  for (let round = 0; round < rounds; round += 1) await killOnce(stage, { world, kinds, proxy, env, round });
  await world.people.stop(ANSWER_MS);
  await expectTakenOver(stage, world, kinds);
  await world.close();
}

async function killOnce(stage, { world, kinds, proxy, env, round }) {
  const [victim, ...heirs] = stage.servers;
  const waiting = await alone(stage, { world, victim, heirs }, () => kinds.fill());
  // First right after it took the work; later anywhere between two renewals.
  await pause(round === 0 ? 0 : Math.random() * 9000);
  await stage.kill(victim);
  const killedMs = performance.now();
  kinds.letGo();
  await Promise.all(
    waiting.map(async ([kind, text]) => {
      await until(`the answer to ${text}`, () => world.people.isAnswered(text), ANSWER_MS).catch(() => undefined);
      kinds.note(kind, performance.now() - killedMs);
    }),
  );
  const fresh = await stage.startServer(env);
  proxy.replace(victim, fresh);
}

/** Lets one server do everything while the others are stopped, so that it holds the work when it dies. */
async function alone(stage, { world, victim, heirs }, work) {
  const usual = world.client;
  const client = stage.client(victim);
  world.client = () => client;
  for (const { pid } of heirs) process.kill(pid, 'SIGSTOP');
  try {
    return await work();
  } finally {
    for (const { pid } of heirs) process.kill(pid, 'SIGCONT');
    world.client = usual;
  }
}

async function expectTakenOver(stage, world, kinds) {
  const limitMs = stage.isShort ? TAKE_OVER_MS.short : TAKE_OVER_MS.full;
  const again = [...world.agent.runs.values()].filter(({ calls }) => calls > 1).length;
  for (const [kind, slowestMs] of Object.entries(kinds.slowestMs)) {
    const seen = `at most ${(slowestMs / 1000).toFixed(1)} s after the kill`;
    stage.expect(`The others go on within ${limitMs / 1000} s with ${WORDS[kind]}.`, slowestMs < limitMs, seen);
  }
  const { faults, unknown } = await world.verify({ mayBeUnknown: true });
  stage.expectNoFault(
    'No message is lost, none starts two runs, no answer is sent twice; where the outcome is not known, the log says so.',
    faults,
    `${world.people.total} messages, ${again} of them handed over again, ${unknown} answers unknown, ${world.people.timesText}`,
  );
}

const WORDS = {
  invoked: 'messages that an agent was being asked to take',
  running: 'runs that were under way',
  sending: 'answers that stood behind one being sent',
};

/** What the chats wait for when a server is killed: the first kind for each bot, then the second, and so on. */
class Kinds {
  slowestMs = { invoked: 0, running: 0, sending: 0 };
  others;
  #chats;
  #letGo = () => {};

  constructor(world) {
    this.world = world;
    const all = [...world.people.written.keys()];
    const quarter = (n) => all.filter((_, place) => place % 4 === n);
    this.#chats = { invoked: quarter(0), running: quarter(1), sending: quarter(2) };
    this.others = quarter(3);
  }

  /** Makes everybody wait. @returns {Promise<[string, string][]>} kind and text of the messages */
  async fill() {
    const { agent, telegram } = this.world;
    const isOf = (kind) => (text) => this.#chats[kind].includes(Number(text.split('#')[0]));
    const gone = new Promise((resolve) => (this.#letGo = resolve));
    agent.isMute = isOf('invoked');
    agent.gate = (text) => (isOf('running')(text) ? gone : Promise.resolve());
    telegram.silentChats = new Set(this.#chats.sending);
    const texts = {};
    for (const [kind, chats] of Object.entries(this.#chats)) texts[kind] = await this.#writeAll(chats);
    await until('Telegram to get messages', () => texts.sending.every((text) => telegram.sent.has(answerTo(text))));
    texts.sending = await this.#writeAll(this.#chats.sending);
    const asked = Object.values(texts).flat();
    await until('all runs to be begun', () => asked.every((text) => agent.isBegun(text)));
    return Object.entries(texts).flatMap(([kind, list]) => list.map((text) => [kind, text]));
  }

  letGo() {
    const { agent, telegram } = this.world;
    agent.isMute = () => false;
    telegram.silentChats = new Set();
    this.#letGo();
  }

  note(kind, ms) {
    this.slowestMs[kind] = Math.max(this.slowestMs[kind], ms);
  }

  #writeAll(chats) {
    return Promise.all(chats.map((chatId) => this.world.people.write(chatId)));
  }
}
