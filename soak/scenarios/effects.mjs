import { fork } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { FaultList } from '../../bench/generator/fault-list.mjs';

const BANK = fileURLToPath(new URL('../support/bank.mjs', import.meta.url));
const AGENT = fileURLToPath(new URL('../support/paying-agent.mjs', import.meta.url));
const QUIET = { WAYSTATION_LOG_LEVEL: 'silent' };
/** Default number of rounds in the full form. */
const ROUNDS = 300;
/** Concurrent claimants of one effect, and how often they meet. */
const CLAIMANTS = 64;
const RACES = { short: 2, full: 300 };
/** Orders of each kind per round. */
const ORDERS = 3;
/** In one round of this many, a server is killed instead; the short form has two rounds on PostgreSQL. */
const SERVER_EVERY = { short: 2, full: 3 };

/** @type {import('./scenario.mjs').Scenario} */
export const effects = {
  name: 'effects',
  title: 'agents pay orders through a bank that counts; agents and servers are killed in between',
  databases: ['sqlite', 'postgres'],
  run,
};

async function run(stage) {
  const rounds = stage.isShort ? stage.rounds : Math.max(ROUNDS, stage.rounds);
  const serverEvery = stage.isShort ? SERVER_EVERY.short : SERVER_EVERY.full;
  stage.tried(
    `${rounds} kills of an agent, or in one round of ${serverEvery} of a server, while ${2 * ORDERS} orders are paid`,
  );
  const found = { once: new FaultList(), doubts: new FaultList(), unasked: new FaultList(), agents: new FaultList() };
  const world = await World.open(stage);
  await raceForOne(stage);
  let doubtful = 0;
  for (let round = 1; round <= rounds; round += 1)
    doubtful += await payThroughKill(world, round, found, round % serverEvery === 0);
  const paid = `${2 * ORDERS * rounds} orders paid, ${doubtful} were in doubt in between`;
  stage.expectNoFault('Money moves exactly once for every order.', found.once, paid);
  stage.expectNoFault(
    'A write whose agent or server died is in doubt, or settled as it happened; it is never called not started.',
    found.doubts,
    paid,
  );
  stage.expectNoFault('No write in doubt is made again unasked.', found.unasked, paid);
  stage.expectNoFault('Agents see nothing but doubts, and wait for servers that are away.', found.agents, paid);
  world.close();
}

/** Many processes claim one effect concurrently through all servers, every other time while its holder settles it. */
async function raceForOne(stage) {
  const races = stage.isShort ? RACES.short : RACES.full;
  const clients = stage.servers.map((server) => stage.client(server));
  const faults = new FaultList();
  for (let race = 1; race <= races; race += 1) {
    const path = `/v1/runners/threads/raced/effects`;
    const claim = (n) =>
      clients[n % clients.length].post(path, {
        ...{ trace_id: 'raced-run', agent_id: 'payer', key: `order-${race}`, tool: 'pay', claim_id: `claim-${n}` },
      });
    const answers = await Promise.all(Array.from({ length: CLAIMANTS }, (_, n) => claim(n)));
    const winners = answers.filter(({ status }) => status === 201);
    if (winners.length !== 1) faults.add(`race ${race}: ${winners.length} claims were granted`);
    const settling = clients[0].send('PUT', `${path}/order-${race}`, '{"outcome":"completed","result":"paid"}');
    const late = await Promise.all(Array.from({ length: CLAIMANTS / 8 }, (_, n) => claim(CLAIMANTS + n)));
    if ((await settling).status !== 200) faults.add(`race ${race}: the settling was refused`);
    for (const { status, bytes } of [...answers, ...late].filter(({ status }) => status !== 201)) {
      const { code, state, result } = JSON.parse(bytes.toString());
      const isFine = status === 200 ? state === 'completed' && result === 'paid' : code === 'effect_in_doubt';
      if (!isFine) faults.add(`race ${race}: ${status} ${code ?? state}`);
    }
  }
  const seen = `${races} races of ${CLAIMANTS} through ${clients.length} servers`;
  stage.expectNoFault('Of all that claim an effect at once one makes the call; the others hear of it.', faults, seen);
}

async function payThroughKill(world, round, found, isServerKilled) {
  const threadId = `orders-${round}`;
  const orders = Array.from({ length: 2 * ORDERS }, (_, n) => ({
    key: `${threadId}/${n}`,
    kind: n % 2 === 0 ? 'write' : 'idempotent',
  }));
  const first = world.agent(threadId, orders);
  await first.underWay;
  await pause(Math.random() * 250);
  if (isServerKilled) await world.killServer();
  else first.kill();
  await first.ended.catch(() => undefined);
  // The dead agent's request may still be on its way to the bank.
  await pause(50);
  const before = await world.stateOf(threadId);
  // Another process continues the run and knows nothing of the first one's calls.
  const outcomes = await world.agent(threadId, orders).ended;
  const after = await world.stateOf(threadId);
  let doubtful = 0;
  for (const [n, { key, kind }] of orders.entries()) {
    const [was, is] = [before.of(key), after.of(key)];
    if (!['paid', 'in doubt'].includes(outcomes[n])) found.agents.add(`${key}: ${outcomes[n]}`);
    if (kind !== 'write') continue;
    if (was.moves > 0 && was.state !== 'completed' && is.state !== 'in doubt') {
      found.doubts.add(`${key}: paid, ${was.state}, then ${is.state}`);
    }
    if (was.state === 'started' && is.moves !== was.moves)
      found.unasked.add(`${key}: ${was.moves}, then ${is.moves} moves`);
    if (is.state === 'in doubt') doubtful += 1;
  }
  // A person checks the bank and settles the effects in doubt; then the rest is paid.
  for (const { key, attempt } of after.inDoubt) {
    const outcome = after.of(key).moves > 0 ? 'completed' : 'not_done';
    const result = outcome === 'completed' ? { transfer: key } : undefined;
    await world.settle(threadId, key, { attempt, outcome, result, decided_by: 'ada' });
  }
  for (const [n, outcome] of (await world.agent(threadId, orders).ended).entries()) {
    if (outcome !== 'paid') found.agents.add(`${orders[n].key}: ${outcome} in the end`);
  }
  const end = await world.stateOf(threadId);
  for (const { key } of orders) {
    const { moves, state } = end.of(key);
    if (moves !== 1 || state !== 'completed') found.once.add(`${key}: ${moves} moves, ${state}`);
  }
  return doubtful;
}

/** The servers, the bank, and the agents that are killed and replaced. */
class World {
  #bank = null;
  #address = '';

  constructor(stage) {
    this.stage = stage;
  }

  static async open(stage) {
    const world = new World(stage);
    await stage.startServers(stage.instances, QUIET);
    world.proxy = await stage.proxy();
    world.client = stage.client(world.proxy);
    world.#bank = fork(BANK, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    stage.cleanup.track(world.#bank.pid);
    const { port } = await new Promise((resolve) => world.#bank.once('message', resolve));
    world.#address = `http://127.0.0.1:${port}`;
    return world;
  }

  close() {
    this.#bank.disconnect();
  }

  async killServer() {
    const { servers } = this.stage;
    const doomed = servers[Math.floor(Math.random() * servers.length)];
    await this.stage.kill(doomed);
    this.proxy.replace(doomed, await this.stage.startServer(QUIET));
  }

  /** Starts a process that pays the orders. */
  agent(threadId, orders) {
    const child = fork(AGENT, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const forget = this.stage.cleanup.track(child.pid);
    const apiUrl = `http://127.0.0.1:${this.proxy.port}`;
    const order = {
      apiUrl,
      token: this.stage.token,
      bank: this.#address,
      threadId,
      traceId: `${threadId}-run`,
      orders,
    };
    let start;
    const underWay = new Promise((resolve) => (start = resolve));
    const ended = new Promise((resolve, reject) => {
      child.on('message', ({ outcomes, failed, isUnderWay }) => {
        if (isUnderWay) start();
        else if (failed) reject(new Error(failed));
        else resolve(outcomes);
      });
      child.once('exit', (code, signal) => {
        forget();
        start();
        reject(new Error(`An agent ended with ${code ?? signal}.`));
      });
    });
    // Callers that kill it do not wait for its outcomes.
    ended.catch(() => undefined);
    child.send(order);
    return { underWay, ended, kill: () => child.kill('SIGKILL') };
  }

  async settle(threadId, key, settling) {
    const path = `/v1/runners/threads/${threadId}/effects/${encodeURIComponent(key)}`;
    const answer = await this.client.send('PUT', path, JSON.stringify(settling));
    if (answer.status !== 200) throw new Error(`${key} was not settled: ${answer.status} ${answer.bytes}`);
  }

  /** Each order according to the bank and the server. */
  async stateOf(threadId) {
    const moves = await (await fetch(`${this.#address}/moves`)).json();
    const answer = await this.client.get(`/v1/runners/threads/${threadId}/effects?limit=200`);
    // The agent may have died before any of its requests arrived.
    const items = answer.status === 404 ? [] : JSON.parse(answer.bytes.toString()).items;
    const inDoubt = items.filter((effect) => effect.in_doubt);
    const of = (key) => {
      const effect = items.find((one) => one.key === key);
      const state = effect?.in_doubt ? 'in doubt' : (effect?.state ?? 'not started');
      return { moves: moves[key] ?? 0, state };
    };
    return { inDoubt, of };
  }
}
