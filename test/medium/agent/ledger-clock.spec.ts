import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadAgentConfig } from '../../../src/config/env.js';
import { startAgent, type RunningAgent } from '../../../src/create-agent.js';
import { parseDefinition } from '../../../src/modules/triggers/definition/definition-reader.js';
import { RunLauncher } from '../../../src/modules/triggers/run-launcher.js';
import { RunIntake } from '../../../src/modules/triggers/runs/run-intake.service.js';
import { RunsRepository } from '../../../src/modules/triggers/runs/runs.repository.js';
import { newThreadId } from '../../factories/events.js';
import { endOf } from '../../support/agent-runner.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { MovableClock } from '../../support/movable-clock.js';
import { waitFor } from '../../support/wait.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DEFINITION = JSON.stringify({ agents: { plain: { command: ['sh', '-c', 'echo done'] } } });

const clock = new MovableClock();
let home: string;
let api: InProcessApp;

beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'waystation-ledger-'));
  api = await startApp();
});
afterEach(async () => {
  await api.stop();
  await rm(home, { recursive: true, force: true });
});

function start(): Promise<RunningAgent> {
  const env = { WAYSTATION_AGENT_PORT: '0', WAYSTATION_LOG_LEVEL: 'silent', WAYSTATION_HOME: home };
  const config = loadAgentConfig({}, { ...env, PATH: process.env.PATH, WAYSTATION_API_URL: api.api.baseUrl });
  const definition = parseDefinition(path.join(home, 'agents.json'), DEFINITION, { variables: {}, defaultPort: 0 });
  return startAgent({ config, definition, apiToken: api.storage.secret, clock });
}

const request = {
  agentName: 'plain',
  message: 'hello',
  context: null,
  source: 'webhook',
  idempotencyKey: 'once',
} as const;
const launch = async ({ app }: RunningAgent, threadId: string) =>
  (await app.get(RunLauncher, { strict: false }).launch({ ...request, threadId })).runId;

describe('The ledger of an agent process', () => {
  beforeEach(() => void (clock.aheadMs = 0));

  it('knows a request again after a start with a clock that is ahead by months', async () => {
    const threadId = newThreadId();
    const first = await start();
    const runId = await launch(first, threadId);
    await endOf(api.api, threadId);
    await first.app.close();
    clock.aheadMs = 100 * DAY_MS;
    const second = await start();
    expect(await launch(second, threadId)).toBe(runId);
    await second.app.close();
  });

  it('knows a request again for 7 days', async () => {
    const threadId = newThreadId();
    const agent = await start();
    const runId = await launch(agent, threadId);
    const repository = agent.app.get(RunsRepository, { strict: false });
    await waitFor('the end', async () => (await repository.get(runId)).state === 'ended');
    const forget = async () => {
      // The first check only notices that the clock was set.
      for (let look = 0; look < 2; look++) await agent.app.get(RunIntake, { strict: false }).forgetOld();
    };
    clock.aheadMs = 7 * DAY_MS - HOUR_MS;
    await forget();
    expect(await launch(agent, threadId)).toBe(runId);
    clock.aheadMs += 2 * HOUR_MS;
    await forget();
    expect(await launch(agent, threadId)).not.toBe(runId);
    await agent.app.close();
  });
});
