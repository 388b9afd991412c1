import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { newThreadId } from '../../factories/events.js';
import { AgentRunner, endOf, programPath } from '../../support/agent-runner.js';
import { freePort } from '../../support/free-port.js';
import { leased, release } from '../../support/leases.js';
import { checkpointsOf } from '../../support/recording.js';
import { ServerProcess } from '../../support/server-process.js';
import { freshStorage, type TestStorage } from '../../support/storage.js';
import { waitFor } from '../../support/wait.js';

const STEPS = 20;
const ROUNDS = 3;
/** Fixed, so that the API restarts at the same address. */
const PORT = await freePort();
const env = { STEPS: String(STEPS), PAUSE_MS: '60' };
const AGENTS = {
  printing: { command: ['node', programPath('steps.mjs')], env: { ...env, ANSWER: 'the end' } },
  reporting: { command: ['node', programPath('self-reporting.mjs')], env },
  alone: {
    command: ['sh', '-c', 'until [ -e go ]; do sleep 0.1; done; exec node "$0"', programPath('steps.mjs')],
    env: { ...env, ANSWER: 'the end' },
    concurrency: 1,
  },
  // Never reaches its end before it is killed.
  once: { command: ['node', programPath('steps.mjs')], env: { ...env, STEPS: '900' }, on_restart: 'error' },
};

let storage: TestStorage;
let api: ServerProcess;
let agents: AgentRunner;

const startApi = () => ServerProcess.start(storage, { env: { WAYSTATION_PORT: String(PORT) } });
const startAgents = () =>
  AgentRunner.start({
    storage,
    apiUrl: `http://127.0.0.1:${PORT}`,
    agents: AGENTS,
    env: { WAYSTATION_LOG_LEVEL: 'info' },
  });

beforeEach(async () => {
  storage = await freshStorage();
  api = await startApi();
  agents = await startAgents();
});
afterEach(async () => {
  await agents?.stop();
  await api?.stop();
  await storage.dispose();
});

async function expectWhole(agent: string, threadId: string): Promise<void> {
  const detail = await endOf(api.api, threadId);
  expect(detail).toMatchObject({ status: 'completed', runs: 1 });
  const rows = await checkpointsOf(api.api, threadId);
  const answers = agent === 'printing' ? ['the end'] : [];
  const steps = Array.from({ length: STEPS }, (_, step) => `step ${step}`);
  expect(rows.map(({ step_index }) => step_index)).toEqual(
    Array.from({ length: STEPS + answers.length }, (_, at) => at),
  );
  expect(rows.at(-1)?.history.map(({ content }) => content)).toEqual(['hello', ...steps, ...answers]);
}

const stepsOf = async (threadId: string) => (await checkpointsOf(api.api, threadId).catch(() => [])).length;

describe('Runs', () => {
  it('survive kill -9 of the agent process and of the API, again and again: no step is lost, none is doubled', async () => {
    const runs: [string, string][] = [];
    for (let round = 0; round < ROUNDS; round++) {
      for (const agent of ['printing', 'reporting']) {
        const threadId = newThreadId();
        await agents.launch(agent, threadId);
        runs.push([agent, threadId]);
      }
      const [, last] = runs.at(-1)!;
      await waitFor('some steps', async () => (await stepsOf(last)) > 2 * round);
      if (round % 3 !== 0) await api.kill();
      if (round % 3 !== 1) {
        await agents.kill();
        agents = await startAgents();
      }
      if (round % 3 !== 0) api = await startApi();
    }
    for (const [agent, threadId] of runs) await expectWhole(agent, threadId);
  });

  it('start while the API is away, and are reported when it is back', async () => {
    await api.kill();
    const threadId = newThreadId();
    await agents.launch('printing', threadId);
    await agents.kill();
    agents = await startAgents();
    api = await startApi();
    await expectWhole('printing', threadId);
  });

  it('wait for the API when it is away, if somebody else drove them before', async () => {
    // Runs until the other one's lease is claimed.
    await agents.launch('alone', newThreadId());
    const { threadId, runId } = await agents.launch('alone', newThreadId());
    const fence = await leased(api.api, threadId, 'another process', { trace_id: runId, agent_id: 'alone' });
    await writeFile(path.join(storage.home, 'agents', 'go'), '');
    await waitFor('the run to be left alone', () => agents.printed.includes('the run is active in another process'));
    await api.kill();
    // It asks again after 5 seconds.
    await pause(6_000);
    expect(agents.printed.split('run started')).toHaveLength(2);
    api = await startApi();
    await release(api.api, threadId, fence, runId);
    await expectWhole('printing', threadId);
  });

  it('that may not be repeated end with an error after a crash', async () => {
    const threadId = newThreadId();
    await agents.launch('once', threadId);
    await waitFor('some steps', async () => (await stepsOf(threadId)) > 2);
    await agents.kill();
    agents = await startAgents();
    const detail = await endOf(api.api, threadId);
    expect(detail).toMatchObject({ status: 'error', error: { message: expect.stringContaining('interrupted') } });
  });

  it('are stopped in good order when the time for finishing is over, and go on at the next start', async () => {
    await agents.stop();
    agents = await AgentRunner.start({
      ...{ storage, apiUrl: `http://127.0.0.1:${PORT}`, agents: AGENTS },
      env: { WAYSTATION_SHUTDOWN_TIMEOUT_MS: '0' },
    });
    const threadId = newThreadId();
    await agents.launch('printing', threadId);
    await waitFor('some steps', async () => (await stepsOf(threadId)) > 2);
    expect(await agents.stop()).toBe(0);
    agents = await startAgents();
    await expectWhole('printing', threadId);
  });
});
