import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { newThreadId } from '../../factories/events.js';
import { AgentRunner, endOf, type RunnerOptions } from '../../support/agent-runner.js';
import { leasePath } from '../../support/leases.js';
import { LosingLink } from '../../support/losing-link.js';
import { checkpointsOf, latestOf, threadPath } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const server = useServer();
interface RunLease {
  holder: string;
  expires_at: string;
}

/** The shortest that is allowed. */
const LEASE_SECONDS = 5;
/**
 * Notes its start, prints a step, and waits for a file `go`. If there is a file `late` for it, it reports a step by itself, without a
 * fence, and notes the server's response.
 */
const PROGRAM = `
  const { appendFileSync, existsSync, readFileSync, rmSync } = require('node:fs');
  const { message, checkpoint, resumed, trace_id, thread_id, agent_id } = JSON.parse(readFileSync(0, 'utf8'));
  const { WAYSTATION_API_URL: url, WAYSTATION_TOKEN: token } = process.env;
  const note = (file, value) => appendFileSync(file + '-' + message, JSON.stringify(value) + '\\n');
  note('starts', { trace_id, resumed });
  const history = [...(checkpoint?.history ?? [{ role: 'user', content: message }])];
  const step = checkpoint ? checkpoint.step_index + 1 : 0;
  history.push({ role: 'assistant', content: 'step ' + step });
  const print = (data) => console.log(JSON.stringify({ type: 'checkpoint', data }));
  print({ step_index: step, history });
  async function reportLate() {
    const data = { thread_id, trace_id, agent_id, step_index: 70, history: [...history, { role: 'assistant', content: 'late' }] };
    print({ ...data, step_index: 80 });
    const headers = { authorization: 'Bearer ' + token, 'content-type': 'application/json' };
    const body = JSON.stringify({ events: [{ type: 'checkpoint', data }, { type: 'thread_completed', data: { thread_id, trace_id, agent_id } }] });
    const answer = await fetch(url + '/v1/runners/events', { method: 'POST', headers, body });
    note('answers', await answer.json());
  }
  const timer = setInterval(() => {
    if (existsSync('go-' + message)) return clearInterval(timer);
    const late = 'late-' + message + '-' + resumed;
    if (!existsSync(late)) return;
    rmSync(late);
    void reportLate();
  }, 20);
  if (message === 'quick') clearInterval(timer);`;
const SILENT =
  'read line; echo {} >>"starts-$WAYSTATION_MESSAGE"; until [ -e "go-$WAYSTATION_MESSAGE" ]; do sleep 0.1; done; echo done';
const AGENTS = { steps: { command: [process.execPath, '-e', PROGRAM] }, silent: { command: ['sh', '-c', SILENT] } };

const running = new Set<AgentRunner>();
afterEach(async () => {
  await Promise.all([...running].map((agents) => agents.stop()));
  running.clear();
});

/** An agent process with the same definition and its own state. The server sends messages to the one that was started last. */
async function startProcess(
  state: string,
  { apiUrl = server.api.baseUrl, env: more = {}, isAlone }: Partial<RunnerOptions> = {},
): Promise<AgentRunner> {
  const before = await endpoint();
  const { storage } = server;
  const env = {
    WAYSTATION_STATE_DIR: stateDir(state),
    WAYSTATION_RUN_LEASE_SECONDS: String(LEASE_SECONDS),
    WAYSTATION_LOG_LEVEL: 'warn',
    ...more,
  };
  const runner = await AgentRunner.start({ storage, apiUrl, agents: AGENTS, env, isAlone });
  running.add(runner);
  await waitFor('its heartbeat', async () => (await endpoint()) !== before);
  return runner;
}

const stateDir = (state: string) => path.join(server.storage.home, state);

async function kill(runner: AgentRunner): Promise<void> {
  running.delete(runner);
  await runner.kill();
}

async function endpoint(): Promise<unknown> {
  const { items } = (await server.api.get('/v1/agents')).json<{ items: { endpoint: string }[] }>();
  return items[0]?.endpoint;
}

async function invoke(message: string, thread_id: string): Promise<Record<string, unknown>> {
  const headers = { 'idempotency-key': message };
  const answer = await server.api.post('/v1/agents/steps/invoke', { message, thread_id }, { headers });
  if (answer.status !== 202) throw new Error(`Not invoked: ${answer.status} ${answer.text}`);
  return answer.json();
}

const touch = (name: string) => writeFile(path.join(server.storage.home, 'agents', name), '');

async function linesOf<T>(file: string): Promise<T[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as T);
}

const startsOf = (message: string) =>
  linesOf<{ trace_id: string; resumed: boolean }>(path.join(server.storage.home, 'agents', `starts-${message}`));

const hasStarted = (message: string, count: number) =>
  waitFor(`start ${count} of ${message}`, async () => (await startsOf(message)).length === count);

const hasStep = (threadId: string) =>
  waitFor('a step', async () =>
    (await checkpointsOf(server.api, threadId).catch(() => [])).some(({ history }) => history.length === 2),
  );

/** Everything readable of a thread, byte by byte. */
async function stored(threadId: string): Promise<string[]> {
  const paths = [threadPath(threadId), threadPath(threadId, '/checkpoints')];
  return Promise.all(paths.map(async (one) => (await server.api.get(one)).text));
}

async function expectTwoSteps(message: string, threadId: string): Promise<void> {
  expect(await endOf(server.api, threadId)).toMatchObject({ status: 'completed', runs: 1 });
  const said = (await latestOf(server.api, threadId)).history.map(({ content }) => content);
  expect(said).toEqual([message, 'step 0', 'step 1']);
}

describe('A message whose first answer was lost, and that is sent again', () => {
  it('to another process of the agent, means the run that has ended: its program is not started again', async () => {
    const threadId = newThreadId();
    await startProcess('one');
    const first = await invoke('quick', threadId);
    expect((await endOf(server.api, threadId)).status).toBe('completed');
    const second = await startProcess('two');
    expect(await invoke('quick', threadId)).toEqual(first);
    // The process's next run begins after it.
    const { threadId: another } = await second.launch('steps', newThreadId(), 'quick');
    await endOf(server.api, another);
    expect((await startsOf('quick')).filter(({ trace_id }) => trace_id === first.run_id)).toHaveLength(1);
    expect((await endOf(server.api, threadId)).runs).toBe(1);
    expect(second.printed).not.toContain('run failed');
  });

  it('to a process that loses the first answers about it, means that run, too', async () => {
    const threadId = newThreadId();
    await touch('go-asked');
    await startProcess('asked');
    const first = await invoke('asked', threadId);
    expect((await endOf(server.api, threadId)).status).toBe('completed');
    const link = await LosingLink.to(server.api.baseUrl);
    await startProcess('asking', { apiUrl: link.url, env: { WAYSTATION_LOG_LEVEL: 'info' } });
    link.losing.push('GET', 'GET', 'GET');
    expect(await invoke('asked', threadId)).toEqual(first);
    const [asking] = [...running].slice(-1);
    await waitFor('it to know', () => asking!.printed.includes('the run had already ended'));
    expect(link.losing).toEqual([]);
    expect(await startsOf('asked')).toHaveLength(1);
    expect((await endOf(server.api, threadId)).runs).toBe(1);
    await kill(asking!);
    await link.close();
  });

  it('while the first process is away for a moment, leaves the run to that', async () => {
    const threadId = newThreadId();
    const first = await startProcess('first');
    const { run_id } = await invoke('restarted', threadId);
    await hasStep(threadId);
    await kill(first);
    const second = await startProcess('second');
    expect((await invoke('restarted', threadId)).run_id).toBe(run_id);
    await startProcess('first');
    await hasStarted('restarted', 2);
    await touch('go-restarted');
    await expectTwoSteps('restarted', threadId);
    const { threadId: another } = await second.launch('steps', newThreadId(), 'quick');
    await endOf(server.api, another);
    expect(await startsOf('restarted')).toEqual([
      { trace_id: run_id, resumed: false },
      { trace_id: run_id, resumed: true },
    ]);
  });
});

describe("A thread's next turn", () => {
  it('begins with the conversation, however many answers are lost', async () => {
    const threadId = newThreadId();
    const link = await LosingLink.to(server.api.baseUrl);
    const agents = await startProcess('turns', { apiUrl: link.url });
    await agents.launch('steps', threadId, 'quick');
    await endOf(server.api, threadId);
    link.losing.push('GET', 'GET', 'GET');
    await touch('go-turn');
    const { runId } = await agents.launch('steps', threadId, 'turn');
    await waitFor('its end', async () => {
      const { status, trace_id } = await endOf(server.api, threadId);
      return trace_id === runId && status === 'completed';
    });
    expect(link.losing).toEqual([]);
    const said = (await latestOf(server.api, threadId)).history.map(({ content }) => content);
    expect(said.slice(0, 2)).toEqual(['quick', 'step 0']);
    await kill(agents);
    await link.close();
  });
});

describe('A process that is asked to end, and lets its runs finish for longer than their lease', () => {
  it('keeps them: another process of the agent begins none of them', async () => {
    const threadId = newThreadId();
    const first = await startProcess('ending', { env: { WAYSTATION_SHUTDOWN_TIMEOUT_MS: '60000' } });
    const { run_id } = await invoke('draining', threadId);
    await hasStep(threadId);
    const lease = async () => (await server.api.get(leasePath(threadId, '', String(run_id)))).json<RunLease>();
    const before = await lease();
    process.kill(first.pid, 'SIGTERM');
    await startProcess('next');
    expect((await invoke('draining', threadId)).run_id).toBe(run_id);
    const endMs = Date.parse(before.expires_at) + LEASE_SECONDS * 1000;
    const { holder } = await waitFor('the lease to outlive itself', async () => {
      const now = await lease();
      return Date.parse(now.expires_at) > endMs && now;
    });
    expect(holder).toBe(before.holder);
    expect(await startsOf('draining')).toHaveLength(1);
    await touch('go-draining');
    expect(await endOf(server.api, threadId)).toMatchObject({ status: 'completed', runs: 1 });
    expect(await startsOf('draining')).toHaveLength(1);
  });
});

describe('A run whose process hears of nothing for longer than its lease', () => {
  it('is finished by another, and whatever the first still says of it is refused', async () => {
    const threadId = newThreadId();
    const first = await startProcess('stopped', { isAlone: true });
    const { run_id } = await invoke('paused', threadId);
    await hasStep(threadId);
    process.kill(first.pid, 'SIGSTOP');
    await startProcess('other');
    expect((await invoke('paused', threadId)).run_id).toBe(run_id);
    await hasStarted('paused', 2);
    await waitFor('the second step', async () => (await latestOf(server.api, threadId)).step_index === 1);
    // The stopped process's program continues: it reports by itself, and prints.
    await touch('late-paused-false');
    const answers = path.join(server.storage.home, 'agents', 'answers-paused');
    const [answer] = await waitFor('its answer', async () => {
      const lines = await linesOf<{ rejected: { code: string }[] }>(answers);
      return lines.length > 0 ? lines : undefined;
    });
    expect(answer!.rejected.map(({ code }) => code)).toEqual(['stale_fence', 'stale_fence']);
    const before = await stored(threadId);
    process.kill(first.pid, 'SIGCONT');
    await waitFor('the first process to know', () => first.printed.includes('run taken over by another process'));
    expect(await stored(threadId)).toEqual(before);
    await touch('go-paused');
    await expectTwoSteps('paused', threadId);
    const end = await stored(threadId);
    await first.stop();
    expect(await stored(threadId)).toEqual(end);
    const refused = await linesOf<{ code: string }>(path.join(stateDir('stopped'), 'refused-events.jsonl'));
    expect(refused.filter(({ code }) => code !== 'stale_fence')).toEqual([]);
    expect(await startsOf('paused')).toHaveLength(2);
  });

  it('because it was killed, is finished by another, and not taken up again by the first', async () => {
    const threadId = newThreadId();
    const first = await startProcess('killed');
    const { run_id } = await invoke('taken', threadId);
    await hasStep(threadId);
    await kill(first);
    await startProcess('heir');
    expect((await invoke('taken', threadId)).run_id).toBe(run_id);
    await hasStarted('taken', 2);
    const again = await startProcess('killed');
    await waitFor('it to see that', () => again.printed.includes('run taken over by another process'));
    await touch('go-taken');
    await expectTwoSteps('taken', threadId);
    expect(await startsOf('taken')).toEqual([
      { trace_id: run_id, resumed: false },
      { trace_id: run_id, resumed: true },
    ]);
  });
});

describe('A process that is killed once more before its program starts again', () => {
  it.each([
    ['because no answer to its claim arrives', 'POST'],
    ['because it does not hear where the run stands', 'GET'],
  ])('%s, takes its run over from itself at the next start', async (_, method) => {
    const threadId = newThreadId();
    const message = `again-${method}`;
    const holder = async () =>
      (await server.api.get(leasePath(threadId, '', run.runId))).json<{ holder?: string }>().holder;
    const first = await startProcess(message);
    const run = await first.launch('silent', threadId, message);
    await hasStarted(message, 1);
    const before = await holder();
    await kill(first);
    const link = await LosingLink.to(server.api.baseUrl);
    link.losing.push(...Array.from({ length: 100_000 }, () => method));
    const second = await startProcess(message, { apiUrl: link.url });
    await waitFor('its claim', async () => ![undefined, before].includes(await holder()));
    await waitFor('a lost answer', () => link.lost > 0);
    await kill(second);
    await link.close();
    await startProcess(message);
    await hasStarted(message, 2);
    await touch(`go-${message}`);
    expect(await endOf(server.api, threadId)).toMatchObject({ status: 'completed', runs: 1 });
  });
});
