import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { newThreadId } from '../../factories/events.js';
import { AgentRunner, endOf } from '../../support/agent-runner.js';
import { checkpointsOf } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const server = useServer();
/** Writes down that it was started, then prints a step; without a file `go` beside the definition it stops there. */
const PROGRAM = `
  const { appendFileSync, existsSync, readFileSync } = require('node:fs');
  const { message, checkpoint, resumed, trace_id } = JSON.parse(readFileSync(0, 'utf8'));
  appendFileSync('starts-' + message, JSON.stringify({ trace_id, resumed }) + '\\n');
  const history = [...(checkpoint?.history ?? [{ role: 'user', content: message }])];
  const step = checkpoint ? checkpoint.step_index + 1 : 0;
  history.push({ role: 'assistant', content: 'step ' + step });
  console.log(JSON.stringify({ type: 'checkpoint', data: { step_index: step, history } }));
  const timer = setInterval(() => existsSync('go-' + message) && clearInterval(timer), 20);
  if (message === 'quick') clearInterval(timer);`;
const AGENTS = { steps: { command: [process.execPath, '-e', PROGRAM] } };

const running: AgentRunner[] = [];
afterEach(async () => {
  for (const agents of running.splice(0)) await agents.stop();
});

/** An agent process over the same definition with a state of its own. The server sends messages to the last one that was started. */
async function startProcess(state: string): Promise<AgentRunner> {
  const before = await endpoint();
  const { storage, api } = server;
  const env = { WAYSTATION_STATE_DIR: path.join(storage.home, state) };
  const runner = await AgentRunner.start({ storage, apiUrl: api.baseUrl, agents: AGENTS, env });
  running.push(runner);
  await waitFor('its heartbeat', async () => (await endpoint()) !== before);
  return runner;
}

async function endpoint(): Promise<unknown> {
  const { items } = (await server.api.get('/v1/agents')).json<{ items: { endpoint: string }[] }>();
  return items[0]?.endpoint;
}

const invoke = async (message: string, thread_id: string) =>
  (
    await server.api.post(
      '/v1/agents/steps/invoke',
      { message, thread_id },
      { headers: { 'idempotency-key': message } },
    )
  ).json();

async function startsOf(message: string): Promise<{ trace_id: string; resumed: boolean }[]> {
  const text = await readFile(path.join(server.storage.home, 'agents', `starts-${message}`), 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { trace_id: string; resumed: boolean });
}

describe('A message whose first answer was lost, and that is sent again', () => {
  it('to another process of the agent, means the run that has ended: its program is not started again', async () => {
    const threadId = newThreadId();
    await startProcess('one');
    const first = await invoke('quick', threadId);
    expect((await endOf(server.api, threadId)).status).toBe('completed');
    const second = await startProcess('two');
    expect(await invoke('quick', threadId)).toEqual(first);
    // The next run of the process begins behind it.
    const { threadId: another } = await second.launch('steps', newThreadId(), 'quick');
    await endOf(server.api, another);
    expect((await startsOf('quick')).filter(({ trace_id }) => trace_id === first.run_id)).toHaveLength(1);
    expect((await endOf(server.api, threadId)).runs).toBe(1);
  });

  it('to another process, when the first is gone with its state, goes on with the run where it stood', async () => {
    const threadId = newThreadId();
    const lost = await startProcess('three');
    const first = await invoke('halfway', threadId);
    await waitFor('a step', async () =>
      (await checkpointsOf(server.api, threadId).catch(() => [])).some(({ history }) => history.length === 2),
    );
    await lost.kill();
    await startProcess('four');
    expect(await invoke('halfway', threadId)).toEqual(first);
    await waitFor('the second start', async () => (await startsOf('halfway')).length === 2);
    expect(await startsOf('halfway')).toEqual([
      { trace_id: first.run_id, resumed: false },
      { trace_id: first.run_id, resumed: true },
    ]);
    await writeFile(path.join(server.storage.home, 'agents', 'go-halfway'), '');
    expect(await endOf(server.api, threadId)).toMatchObject({ status: 'completed', runs: 1 });
    const rows = await checkpointsOf(server.api, threadId);
    expect(rows.at(-1)!.history.map(({ content }) => content)).toEqual(['halfway', 'step 0', 'step 1']);
  });
});
