import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { FaultList } from '../../bench/generator/fault-list.mjs';
import { AgentProcess } from '../support/agent-process.mjs';
import { CutLink } from '../support/cut-link.mjs';
import { until } from '../support/until.mjs';

const PROGRAMS = path.resolve(import.meta.dirname, '../../test/e2e/agent-runs/programs');
const STEPS = 10;
const BETWEEN_CALLS_MS = 150;
const END_MS = 120_000;
const ENDED = ['completed', 'error', 'budget_exceeded', 'cancelled'];
/** After this time another process may take a run over. */
const LEASE_SECONDS = 5;
const KINDS = ['printing', 'reporting'];

/** @type {import('./scenario.mjs').Scenario} */
export const spool = {
  name: 'spool',
  title: 'agent processes, programs and servers are killed and connections to PostgreSQL cut while runs are reported',
  databases: ['postgres'],
  run,
};

async function run(stage) {
  const rounds = stage.isShort ? 6 : 3 * stage.rounds;
  const world = await World.open(stage);
  const calls = new Calls(world);
  const done = new Map();
  for (let round = 0; round < rounds; round += 1) {
    const [name, mishap] = MISHAPS[round < MISHAPS.length ? round : Math.floor(Math.random() * MISHAPS.length)];
    await pause(200 + Math.random() * 600);
    await mishap(world);
    done.set(name, (done.get(name) ?? 0) + 1);
  }
  await calls.end();
  const kinds = [...done].map(([name, times]) => `${times} times ${name}`).join(', ');
  stage.tried(`${calls.accepted.size} runs of two agent processes on two servers; ${kinds}`);
  const { faults, seen } = await verify(world, calls);
  stage.expectNoFault(
    'Every run comes to its end, no step is lost, none is doubled, and they keep their order.',
    faults,
    `${seen}, ${world.proxy.lost} answers lost, ${world.link.cuts} connections to PostgreSQL cut`,
  );
  expectOnlyStale(stage, world);
  await world.close();
}

/** Faults injected into the agents; the first round has each in this order. @type {[string, (world: World) => Promise<void>][]} */
const MISHAPS = [
  ['an agent process was killed', (world) => world.killAgents()],
  ['a server was killed', (world) => world.killServer()],
  ['connections to PostgreSQL were cut', (world) => world.cutForAWhile()],
  ['answers got lost', async (world) => void (world.proxy.losing = 1 + Math.floor(Math.random() * 4))],
  ['a program was killed', async (world) => world.killProgram()],
  ['an agent process stood still for longer than its leases last', (world) => world.standStill()],
];

class World {
  /** @type {AgentProcess[]} */
  agents = [];
  /** Runs may end with an error if a program was killed. */
  killedPrograms = 0;

  static async open(stage) {
    const world = new World();
    world.stage = stage;
    const { DATABASE_URL: url } = await stage.environment();
    world.link = await CutLink.open(new URL(url), stage.cleanup);
    world.env = { DATABASE_URL: world.link.url.href, WAYSTATION_LOG_LEVEL: 'silent' };
    await stage.startServers(2, world.env);
    world.proxy = await stage.proxy();
    world.client = stage.client(world.proxy);
    world.file = definitionIn(stage.folder);
    for (const n of [0, 1]) world.agents[n] = await world.startAgents(n);
    return world;
  }

  startAgents(n) {
    return AgentProcess.start(this.stage, {
      name: `agents-${n}`,
      file: this.file,
      apiUrl: `http://127.0.0.1:${this.proxy.port}`,
      env: { WAYSTATION_TOKEN: this.stage.token, WAYSTATION_RUN_LEASE_SECONDS: String(LEASE_SECONDS) },
    });
  }

  async killAgents() {
    const n = Math.floor(Math.random() * 2);
    await this.agents[n].kill();
    await pause(Math.random() < 0.3 ? 1000 * LEASE_SECONDS : 0);
    this.agents[n] = await this.startAgents(n);
  }

  async killServer() {
    const victim = this.stage.servers[Math.floor(Math.random() * 2)];
    await this.stage.kill(victim);
    this.proxy.replace(victim, await this.stage.startServer(this.env));
  }

  async cutForAWhile() {
    for (let cuts = 0; cuts < 10; cuts += 1) {
      this.link.cut();
      await pause(Math.random() * 100);
    }
  }

  killProgram() {
    const pids = this.agents.flatMap((agents) => agents.programs());
    if (pids.length === 0) return;
    this.killedPrograms += 1;
    process.kill(pids[Math.floor(Math.random() * pids.length)], 'SIGKILL');
  }

  async standStill() {
    const agents = this.agents[Math.floor(Math.random() * 2)];
    agents.signal('SIGSTOP');
    await pause(1000 * (LEASE_SECONDS + 1));
    agents.signal('SIGCONT');
  }

  async close() {
    for (const agents of this.agents) await agents.stop();
    for (const server of [...this.stage.servers]) await this.stage.stop(server);
  }
}

/** Programs that print their steps, and programs that report by themselves. */
function definitionIn(folder) {
  const env = { STEPS: String(STEPS), PAUSE_MS: '60' };
  const agent = (file) => ({ command: [process.execPath, path.join(PROGRAMS, file)], env, concurrency: 4 });
  const agents = { printing: agent('steps.mjs'), reporting: agent('self-reporting.mjs') };
  const triggers = KINDS.map((name) => ({ type: 'webhook', endpoint: `/${name}`, target_agent: name }));
  const file = path.join(folder, 'definition', 'agents.json');
  mkdirSync(path.dirname(file));
  writeFileSync(file, JSON.stringify({ agents, triggers }));
  return file;
}

/** Starts runs through the API, retrying with the same key until accepted, by either of two agent processes. */
class Calls {
  /** Run ids by thread. @type {Map<string, string>} */
  accepted = new Map();
  /** Calls that started two runs. */
  faults = new FaultList();
  #isOver = false;
  #calling;

  constructor(world) {
    this.world = world;
    this.#calling = this.#call();
  }

  async end() {
    this.#isOver = true;
    await this.#calling;
  }

  async #call() {
    for (let n = 0; !this.#isOver; n += 1) {
      const threadId = `spool-${n}`;
      this.accepted.set(threadId, await this.#untilTaken(KINDS[n % 2], threadId));
      await pause(BETWEEN_CALLS_MS);
    }
  }

  async #untilTaken(agent, threadId) {
    for (;;) {
      const body = { message: 'hello', thread_id: threadId };
      const options = { headers: { 'idempotency-key': threadId } };
      const answer = await this.world.client.post(`/v1/agents/${agent}/invoke`, body, options).catch(() => null);
      if (answer?.status === 202) return JSON.parse(answer.bytes.toString()).run_id;
      // 429 means that too many runs wait already.
      if (answer && answer.status < 500 && answer.status !== 429)
        this.faults.add(`${threadId}: ${answer.status} ${answer.bytes.toString().slice(0, 200)}`);
      await pause(BETWEEN_CALLS_MS);
    }
  }
}

async function verify(world, { accepted, faults }) {
  const ends = new Map();
  for (const [threadId, runId] of accepted) {
    const detail = await until(`the end of ${threadId}`, () => endedOrNull(world, threadId), END_MS).catch(() => null);
    if (detail === null) {
      const known = await world.client.json(`/threads/${threadId}`).catch(({ message }) => message);
      faults.add(`${threadId} has no end: ${JSON.stringify(known).slice(0, 300)}`);
      continue;
    }
    ends.set(detail.status, (ends.get(detail.status) ?? 0) + 1);
    const { items } = await world.client.json(`/threads/${threadId}/checkpoints?limit=100`);
    faults.add(faultOf(threadId, runId, detail, items));
  }
  const errors = ends.get('error') ?? 0;
  if (errors > world.killedPrograms)
    faults.add(`${errors} runs ended with an error, ${world.killedPrograms} programs were killed`);
  return { faults, seen: [...ends].map(([status, count]) => `${count} ${status}`).join(', ') };
}

async function endedOrNull({ client }, threadId) {
  const detail = await client.json(`/threads/${threadId}`).catch(() => null);
  return detail !== null && ENDED.includes(detail.status) ? detail : null;
}

function faultOf(threadId, runId, { status, runs, run_list: list }, items) {
  if (runs !== 1 || list[0].trace_id !== runId)
    return `${threadId}: ${runs} runs, ${list.map((each) => each.trace_id)}, not ${runId}`;
  const steps = items.map(({ step_index: step }) => step);
  const isInOrder = steps.every((step, place) => step === place);
  const isWhole = status === 'completed' ? steps.length === STEPS : steps.length <= STEPS + 1;
  if (!isInOrder || !isWhole) return `${threadId} (${status}): the steps ${steps}`;
  const said = items.at(-1)?.history.map(({ content }) => content) ?? [];
  const wanted = ['hello', ...steps.map((step) => `step ${step}`)].slice(0, said.length);
  return said.join() === wanted.join() ? null : `${threadId}: ${said}`;
}

/** The refusals kept in a file must all be of stale fences. */
function expectOnlyStale(stage, { agents }) {
  const codes = new Map();
  for (const { stateDir } of agents) {
    for (const line of linesOf(path.join(stateDir, 'refused-events.jsonl'))) {
      const { code } = JSON.parse(line);
      codes.set(code, (codes.get(code) ?? 0) + 1);
    }
  }
  const seen = [...codes].map(([code, count]) => `${count} ${code}`).join(', ') || 'none';
  stage.expect(
    'Only reports under an old fence are refused.',
    [...codes.keys()].every((code) => code === 'stale_fence'),
    seen,
  );
}

function linesOf(file) {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean);
  } catch {
    return [];
  }
}
