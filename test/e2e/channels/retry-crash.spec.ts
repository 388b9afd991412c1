import { FAILS, type Invocation } from '../../fakes/fake-agent.js';
import { freePort } from '../../support/free-port.js';
import { threadPath } from '../../support/recording.js';
import { ServerProcess } from '../../support/server-process.js';
import { freshStorage, type TestStorage } from '../../support/storage.js';
import { TelegramWorld } from '../../support/telegram-world.js';
import { waitFor } from '../../support/wait.js';

/** Retries in progress at each kill. `WAYSTATION_TEST_KILLS` sets more kills. */
const PEOPLE = 6;
const KILLS = Number(process.env.WAYSTATION_TEST_KILLS ?? 2);
/** For lanes that the killed server held on PostgreSQL. */
const LEASE = { WAYSTATION_LEASE_SECONDS: '2' };
const OPEN = ['received', 'started', 'queued', 'sending'];
const MISHAPS = ['break', 'drop', null] as const;

let world: TelegramWorld;
let storage: TestStorage;
let server: ServerProcess;
let port: number;

async function start(): Promise<void> {
  server = await ServerProcess.start(storage, { env: { ...world.env, ...LEASE, WAYSTATION_PORT: String(port) } });
  world.agent.api = server.api;
}

beforeAll(async () => {
  world = await TelegramWorld.start(FAILS);
  storage = await freshStorage();
  port = await freePort();
  await start();
  await world.connect(server.api);
});
afterAll(async () => {
  await server?.stop();
  await world?.close();
  await storage?.dispose();
});

const retry = ({ threadId, runId }: Invocation) => server.api.post(threadPath(threadId, `/runs/${runId}/retry`));

const runsOf = ({ runId }: Invocation) => world.agent.runs.filter((run) => run.runId === runId).length;

/** A failed run for each of these people, whose chat has learnt of it. */
async function failed(people: readonly number[]): Promise<Invocation[]> {
  world.agent.script = FAILS;
  for (const person of people) world.telegram.write(person, 'refund me');
  await settled();
  return people.map((person) => world.agent.runs.find(({ context }) => context.user_id === String(person))!);
}

async function settled(): Promise<void> {
  await waitFor('all to be worked off', async () => {
    if (world.telegram.pending > 0) return false; // asked first: what is delivered is in the log that is read then
    return !(await world.log(server.api)).some(({ status }) => OPEN.includes(status));
  });
}

describe('A retry for a chat', () => {
  let person = 100;

  it.each(['break', 'drop'] as const)(
    'whose answer is lost (%s) is asked for again, runs once, and its answer comes',
    async (mishap) => {
      const [run] = await failed([(person += 1)]);
      world.agent.script = (one, agent) => agent.answer(one, 'again');
      world.agent.mishaps.push(mishap);
      expect((await retry(run!)).json()).toMatchObject({ status: 503, detail: expect.stringContaining('asks again') });
      await waitFor('the answer', () => world.sentTo(person).includes('again'));
      expect(runsOf(run!)).toBe(2);
      const keys = world.agent.calls.filter(({ runId }) => runId === run!.runId).map(({ key }) => key);
      expect(new Set(keys).size).toBe(1);
    },
  );

  it('that the agent refuses when it is asked again leaves the chat free', async () => {
    const [run] = await failed([(person += 1)]);
    world.agent.script = (one, agent) => agent.answer(one, `said: ${one.message}`);
    world.agent.mishaps.push('drop', 409);
    expect((await retry(run!)).status).toBe(503);
    world.telegram.write(person, 'next');
    await waitFor('the next answer', () => world.sentTo(person).includes('said: next'));
    expect(runsOf(run!)).toBe(1);
    const [message] = (await world.log(server.api)).filter(({ run_id }) => run_id === run!.runId);
    expect(message).toMatchObject({ status: 'failed', reason: 'the agent answered 409' });
  });

  it('can be cancelled until the agent has taken it, also where the run was cancelled before', async () => {
    const [run] = await failed([(person += 1)]);
    world.agent.script = (one, agent) => agent.answer(one, 'again');
    const path = threadPath(run!.threadId, `/runs/${run!.runId}/cancel`);
    const times: string[] = [];
    for (let time = 1; time <= 2; time++) {
      world.agent.mishaps.push('drop', ...Array.from({ length: 50 }, () => 503));
      expect((await retry(run!)).status).toBe(503);
      const [cancelled, repeated] = [await server.api.post(path), await server.api.post(path)];
      expect([cancelled.status, cancelled.json().status]).toEqual([200, 'cancelled']);
      expect(repeated.json()).toEqual(cancelled.json());
      times.push(cancelled.json<{ cancelled_at: string }>().cancelled_at);
      await settled();
      // Only now: a call may be in progress while the run is cancelled.
      world.agent.mishaps.length = 0;
      expect(runsOf(run!)).toBe(1);
      const [message] = (await world.log(server.api)).filter(({ run_id }) => run_id === run!.runId);
      expect(message).toMatchObject({ status: 'done', reason: 'the run ended with cancelled' });
    }
    expect(new Set(times).size).toBe(2);
    expect(world.sentTo(person)).not.toContain('again');
    // A retry requested afterwards is a separate one.
    expect((await retry(run!)).status).toBe(202);
    await waitFor('the answer', () => world.sentTo(person).includes('again'));
  });

  it('runs once and answers once, whenever kill -9 ends the server that was asked for it', async () => {
    for (let kill = 0; kill < KILLS; kill++) {
      const people = Array.from({ length: PEOPLE }, () => (person += 1));
      const runs = await failed(people);
      const answer = `again ${kill}`;
      world.agent.script = (one, agent) => agent.answer(one, answer);
      world.agent.mishaps.length = 0;
      for (const mishap of people.map(() => MISHAPS[Math.floor(Math.random() * MISHAPS.length)]!)) {
        if (mishap !== null) world.agent.mishaps.push(mishap);
      }
      const before = world.agent.calls.length;
      const asked = new Promise<void>((resolve) => {
        const calls = 1 + Math.floor(Math.random() * PEOPLE);
        world.agent.onCall = () => world.agent.calls.length >= before + calls && resolve();
      });
      const answers = runs.map((run) => retry(run).catch(() => null));
      await asked;
      await server.kill();
      await start();
      await settled();
      const statuses = (await Promise.all(answers)).map((one) => one?.status);
      const sent = people.map((one) => world.sentTo(one).filter((text) => text === answer).length);
      const lost = (await world.log(server.api)).filter(({ text, status }) => text === answer && status === 'unknown');
      runs.forEach((run, at) => {
        const wasAsked = world.agent.calls.filter(({ runId }) => runId === run.runId).length > 0;
        if (wasAsked || statuses[at] === 202) expect(runsOf(run)).toBe(2);
        expect(sent[at]).toBeLessThanOrEqual(1);
      });
      const retried = runs.filter((run) => runsOf(run) === 2).length;
      expect(sent.reduce((sum, one) => sum + one, 0) + lost.length).toBe(retried);
    }
  });
});
