import path from 'node:path';
import { newThreadId } from '../../factories/events.js';
import { AgentRunner, endOf, programPath } from '../../support/agent-runner.js';
import { checkpointsOf } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const HOUR_MS = 3_600_000;
const AHEAD = path.resolve(import.meta.dirname, '../../support/clock-ahead.mjs');
// Programs use the machine's clock.
const env = { STEPS: '3', PAUSE_MS: '1', ANSWER: 'the end', NODE_OPTIONS: '' };
const AGENTS = {
  printing: { command: ['node', programPath('steps.mjs')], env },
  reporting: { command: ['node', programPath('self-reporting.mjs')], env },
};

const server = useServer();
let agents: AgentRunner;

beforeAll(async () => {
  agents = await AgentRunner.start({
    ...{ storage: server.storage, apiUrl: server.api.baseUrl, agents: AGENTS },
    env: { NODE_OPTIONS: `--import=${AHEAD}`, WAYSTATION_TEST_AHEAD_MS: String(HOUR_MS) },
  });
});
afterAll(async () => {
  await agents?.stop();
});

async function stepsOf(agent: string, threadId = newThreadId()): Promise<unknown[]> {
  await agents.launch(agent, threadId);
  expect(await endOf(server.api, threadId)).toMatchObject({ status: 'completed' });
  return (await checkpointsOf(server.api, threadId)).map(({ step_index }) => step_index);
}

describe('An agent process whose clock is set back', () => {
  it('loses nothing of what programs report by themselves from then on', async () => {
    expect(await stepsOf('printing')).toEqual([0, 1, 2, 3]);
    process.kill(agents.pid, 'SIGUSR2');
    await waitFor('the clock to be set', () => agents.printed.includes('The clock is set right.'));
    expect(await stepsOf('reporting')).toEqual([0, 1, 2]);
    expect(await stepsOf('printing')).toEqual([0, 1, 2, 3]);
  });
});
