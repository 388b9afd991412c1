import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadAgentConfig } from '../../../src/config/env.js';
import { startAgent, type RunningAgent } from '../../../src/create-agent.js';
import { Database, type SqlParams } from '../../../src/database/database.js';
import { parseDefinition } from '../../../src/modules/triggers/definition/definition-reader.js';
import { RunLauncher } from '../../../src/modules/triggers/run-launcher.js';
import { processesWith } from '../../../src/modules/triggers/program/process-group.js';
import { newThreadId } from '../../factories/events.js';
import { FailingState } from '../../fakes/failing-state.js';
import { endOf, type StartedRun } from '../../support/agent-runner.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { waitFor } from '../../support/wait.js';

const shell = (script: string) => ({ command: ['sh', '-c', `echo begun >> begun; ${script}`], concurrency: 1 });
const EVENT = JSON.stringify({
  type: 'checkpoint',
  data: { step_index: 0, history: [{ role: 'user', content: 'x' }] },
});
const DEFINITION = JSON.stringify({
  agents: {
    waiting: shell('until [ -e go ]; do sleep 0.05; done; echo done'),
    reading: shell('read line; echo done'),
    telling: shell(`echo '${EVENT}'; read line; echo done`),
  },
});

let home: string;
let api: InProcessApp;
let agent: RunningAgent;
let state: FailingState;

beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'waystation-state-'));
  api = await startApp();
  agent = await start();
});
afterEach(async () => {
  state.recover();
  await writeFile(path.join(home, 'go'), '');
  await agent.app.close();
  await api.stop();
  await rm(home, { recursive: true, force: true });
});

async function start(): Promise<RunningAgent> {
  const env = { WAYSTATION_AGENT_PORT: '0', WAYSTATION_LOG_LEVEL: 'silent', WAYSTATION_HOME: home };
  const config = loadAgentConfig({}, { ...env, PATH: process.env.PATH, WAYSTATION_API_URL: api.api.baseUrl });
  const definition = parseDefinition(path.join(home, 'agents.json'), DEFINITION, { variables: {}, defaultPort: 0 });
  const running = await startAgent({ config, definition, apiToken: api.storage.secret });
  state = new FailingState(running.app.get(Database, { strict: false }));
  return running;
}

async function launch(agentName: string): Promise<StartedRun> {
  const request = { agentName, message: 'hello', threadId: newThreadId(), context: null };
  const launcher = agent.app.get(RunLauncher, { strict: false });
  return launcher.launch({ ...request, source: 'webhook', idempotencyKey: null });
}

const begun = async () => (await readFile(path.join(home, 'begun'), 'utf8').catch(() => '')).split('begun').length - 1;
const programsOf = ({ runId }: StartedRun) => processesWith('WAYSTATION_TRACE_ID', new Set([runId]));
const failed = () => waitFor('the state to fail', () => state.failures > 0);
const isRunUpdate = (sql: string) => sql.startsWith('UPDATE "trigger_run"');
const isRunRead = (sql: string) => sql.startsWith('SELECT') && sql.includes('FROM "trigger_run"');

describe('While the state cannot be written', () => {
  it('a program that has ended is not run again: its end is written down as soon as it can be', async () => {
    const { threadId } = await launch('waiting');
    await waitFor('the program to begin', async () => (await begun()) === 1);
    state.failAt((sql, params) => isRunUpdate(sql) && params.includes('finishing'));
    await writeFile(path.join(home, 'go'), '');
    await failed();
    state.recover();
    expect(await endOf(api.api, threadId)).toMatchObject({ status: 'completed', runs: 1 });
    expect(await begun()).toBe(1);
  });

  it.each([
    ['its start cannot be written', isRunUpdate],
    ['it cannot be read', (sql: string) => isRunRead(sql) && sql.includes('start_etag')],
    ['its end cannot be looked up', (sql: string, params: SqlParams) => isRunRead(sql) && params.includes('finishing')],
  ])('a run that was taken on waits, and is seen through when it can be: %s', async (_, isFailing) => {
    await writeFile(path.join(home, 'go'), '');
    state.failAt(isFailing);
    const { threadId } = await launch('waiting');
    await failed();
    state.recover();
    expect(await endOf(api.api, threadId)).toMatchObject({ status: 'completed', runs: 1 });
    expect(await begun()).toBe(1);
  });

  it.each(['reading', 'telling'])('no program goes on that could not be written down: %s', async (name) => {
    let running = false;
    state.failAt((sql, params) => {
      running ||= isRunUpdate(sql) && sql.includes('start_etag');
      return running && !params.includes('finishing');
    });
    const run = await launch(name);
    await failed();
    await waitFor('the program to end', () => agentIsIdle(name));
    expect(programsOf(run)).toEqual([]);
    state.recover();
    expect(await endOf(api.api, run.threadId)).toMatchObject({ status: 'error' });
    const next = await launch(name);
    expect(await endOf(api.api, next.threadId)).toMatchObject({ status: 'completed' });
  });

  it('a run whose end cannot be reported holds up no other', async () => {
    await writeFile(path.join(home, 'go'), '');
    let hinderedId: SqlParams[number] | undefined;
    state.failAt((sql, params) => {
      const isEnd = isRunUpdate(sql) && params.includes('ended');
      if (isEnd) hinderedId ??= params.at(-1);
      return isEnd && params.at(-1) === hinderedId;
    });
    const hindered = await launch('reading');
    await failed();
    const other = await launch('waiting');
    expect(await endOf(api.api, other.threadId)).toMatchObject({ status: 'completed' });
    state.recover();
    expect(await endOf(api.api, hindered.threadId)).toMatchObject({ status: 'completed' });
  });
});

function agentIsIdle(name: string): boolean {
  return agent.app.get(RunLauncher, { strict: false }).activeRuns(name) === 0;
}
