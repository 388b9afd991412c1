import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { newThreadId } from '../../factories/events.js';
import { AgentRunner, endOf } from '../../support/agent-runner.js';
import { freshStorage, type TestStorage } from '../../support/storage.js';
import { ServerProcess } from '../../support/server-process.js';
import { waitFor } from '../../support/wait.js';

/** Leaves the session and the process group, holds nothing open that could identify its parent, and ignores signals. */
const LEAVING = `setsid sh -c 'trap "" TERM HUP; echo $$ > left; exec sleep 300' </dev/null >/dev/null 2>&1 &
  until [ -s left ]; do sleep 0.05; done`;
const shell = (script: string, fields: object = {}) => ({ command: ['sh', '-c', script], ...fields });
const AGENTS = {
  ending: shell(`${LEAVING}; echo done`),
  late: shell(`${LEAVING}; exec sleep 300`, { timeout_seconds: 6 }),
  endless: shell(`${LEAVING}; exec sleep 300`, { on_restart: 'error' }),
};

let storage: TestStorage;
let api: ServerProcess;
let agents: AgentRunner;
const foreign: number[] = [];

const start = (env: Record<string, string> = {}) =>
  AgentRunner.start({ storage, apiUrl: api.api.baseUrl, agents: AGENTS, env });

beforeAll(async () => {
  storage = await freshStorage('sqlite');
  api = await ServerProcess.start(storage);
});
beforeEach(async () => {
  agents = await start({ WAYSTATION_SHUTDOWN_TIMEOUT_MS: '0' });
});
afterEach(async () => {
  await agents.stop();
  await rm(leftFile(), { force: true });
  for (const pid of foreign.splice(0)) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
});
afterAll(async () => {
  await api?.stop();
  await storage?.dispose();
});

const leftFile = () => path.join(storage.home, 'agents', 'left');

/** The process id of the one that left, once it is written. */
async function leftBy(agent: keyof typeof AGENTS): Promise<{ threadId: string; pid: number }> {
  const threadId = newThreadId();
  await agents.launch(agent, threadId);
  const written = await waitFor('a process to leave', async () => {
    return /^(\d+)\n/.exec(await readFile(leftFile(), 'utf8').catch(() => ''))?.[1];
  });
  foreign.push(Number(written));
  return { threadId, pid: Number(written) };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** A killed process stays in the list until somebody waits for it, which in some containers nobody does; it then has no variables. */
async function isRunning(pid: number): Promise<boolean> {
  return (await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')) !== '';
}

/** While a shell executes another program, it has no variables for a moment. */
function untilRunning(pid: number): Promise<true> {
  return waitFor('it to run', async () => (await isRunning(pid)) || undefined);
}

describe('What has left the group of its program', () => {
  it('is ended when the program has ended, before the run has', async () => {
    const { threadId, pid } = await leftBy('ending');
    expect(await endOf(api.api, threadId)).toMatchObject({ status: 'completed' });
    expect(await isRunning(pid)).toBe(false);
  });

  it('is ended when the time of the run is over', async () => {
    const { threadId, pid } = await leftBy('late');
    await untilRunning(pid);
    expect(await endOf(api.api, threadId)).toMatchObject({ status: 'error' });
    expect(await isRunning(pid)).toBe(false);
  });

  it('is ended when the agent process stops', async () => {
    const { pid } = await leftBy('endless');
    await untilRunning(pid);
    expect(await agents.stop()).toBe(0);
    expect(await isRunning(pid)).toBe(false);
  });

  it('is ended at the next start after kill -9 of the agent process', async () => {
    const { threadId, pid } = await leftBy('endless');
    await agents.kill();
    await untilRunning(pid);
    agents = await start();
    expect(await endOf(api.api, threadId)).toMatchObject({ status: 'error' });
    expect(await isRunning(pid)).toBe(false);
  });
});
