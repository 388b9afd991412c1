import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadAgentConfig } from '../../../src/config/env.js';
import { startAgent, type RunningAgent } from '../../../src/create-agent.js';
import { parseDefinition } from '../../../src/modules/triggers/definition/definition-reader.js';
import { RunLauncher } from '../../../src/modules/triggers/run-launcher.js';
import { newThreadId } from '../../factories/events.js';
import { endOf } from '../../support/agent-runner.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { MovableClock } from '../../support/movable-clock.js';

const DAY_MS = 86_400_000;
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

describe('The ledger of an agent process', () => {
  it('knows a request again after a start with a clock that is ahead by months', async () => {
    const threadId = newThreadId();
    const request = { agentName: 'plain', message: 'hello', threadId, context: null };
    const launch = ({ app }: RunningAgent) =>
      app.get(RunLauncher, { strict: false }).launch({ ...request, source: 'webhook', idempotencyKey: 'once' });
    const first = await start();
    const { runId } = await launch(first);
    await endOf(api.api, threadId);
    await first.app.close();
    clock.aheadMs = 100 * DAY_MS;
    const second = await start();
    expect((await launch(second)).runId).toBe(runId);
    await second.app.close();
  });
});
