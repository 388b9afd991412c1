import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { started } from '../factories/events.js';
import { waiting } from '../factories/waiting.js';
import { FakeAgent } from '../fakes/fake-agent.js';
import { AgentRunner, endOf } from '../support/agent-runner.js';
import type { Answer } from '../support/api-client.js';
import { runCommand, type CommandResult } from '../support/command.js';
import { freePort } from '../support/free-port.js';
import { recordEach } from '../support/recording.js';
import { useServer } from '../support/test-server.js';

const server = useServer();
let agent: FakeAgent;

beforeAll(async () => {
  agent = await FakeAgent.start();
  agent.api = server.api;
  await agent.beat();
});
afterAll(() => agent?.close());

const invoke = (name: string, body: object | string, headers: Record<string, string> = {}): Promise<Answer> =>
  server.api.post(`/v1/agents/${encodeURIComponent(name)}/invoke`, body, { headers });

describe('Invoking an agent', () => {
  it('starts a run in a new thread, or in the one that is named', async () => {
    const first = await invoke('support', { message: 'Hello' });
    expect(first.status).toBe(202);
    const { run_id, thread_id, status } = first.json();
    expect(status).toBe('started');
    expect(agent.runs.at(-1)).toMatchObject({ runId: run_id, threadId: thread_id, message: 'Hello' });
    expect((await endOf(server.api, String(thread_id))).status).toBe('completed');
    const second = await invoke('support', { message: 'And again', thread_id, context: { customer: 17 } });
    expect(second.json().thread_id).toBe(thread_id);
    expect(agent.runs.at(-1)).toMatchObject({ threadId: thread_id, context: { customer: 17 } });
  });

  it('gets the same run and thread for the same key, also when the first try came to nothing', async () => {
    const headers = { 'idempotency-key': `once ${'x'.repeat(250)}` };
    agent.mishaps.push('break');
    const before = agent.runs.length;
    const broken = await invoke('support', { message: 'Hello' }, headers);
    expect(broken.json()).toMatchObject({ status: 503, code: 'agent_offline' });
    const [one, two] = await Promise.all([1, 2].map(() => invoke('support', { message: 'Hello' }, headers)));
    expect(one!.status).toBe(202);
    expect(two!.json()).toEqual(one!.json());
    expect(agent.runs).toHaveLength(before + 1);
    expect(agent.runs.at(-1)!.threadId).toBe(one!.json().thread_id);
    const proposed = agent.calls.slice(-3).map(({ runId }) => runId);
    expect(proposed[0]).toMatch(/^[\da-f]{8}-/);
    expect(new Set(proposed).size).toBe(1);
    const other = await invoke('support', { message: 'Hello' }, { 'idempotency-key': 'another' });
    expect(other.json().run_id).not.toBe(one!.json().run_id);
    expect(agent.calls.at(-1)!.runId).not.toBe(proposed[0]);
  });

  it('names the faulty field', async () => {
    const faulty: [object | string, string][] = [
      [{}, 'message'],
      [{ message: ' ' }, 'message'],
      [{ message: 7 }, 'message'],
      [{ message: 'x', thread_id: '..' }, 'thread_id'],
      [{ message: 'x', context: [] }, 'context'],
      [{ message: 'x', thread: 'y' }, 'thread'],
      ['[]', 'body'],
    ];
    for (const [body, path] of faulty) {
      const answer = await invoke('support', body);
      expect([answer.status, answer.json<{ errors: { path: string }[] }>().errors[0]!.path]).toEqual([400, path]);
    }
    const key = await invoke('support', { message: 'x' }, { 'idempotency-key': 'é'.repeat(2) });
    expect(key.json().code).toBe('invalid_idempotency_key');
    expect((await invoke('support', { message: 'x'.repeat(1024 * 1024) })).status).toBe(413);
  });

  it('says that nobody knows the agent, that it cannot be started from here, and that it is away', async () => {
    for (const nobody of ['nobody/here', 'nobody\0']) {
      expect((await invoke(nobody, { message: 'x' })).json()).toMatchObject({ code: 'agent_not_found', status: 404 });
    }
    await agent.report({ type: 'heartbeat', data: { agent_id: 'listener' } });
    expect((await invoke('listener', { message: 'x' })).json()).toMatchObject({
      code: 'agent_not_invocable',
      status: 409,
    });
    const endpoint = `http://127.0.0.1:${await freePort()}`;
    await agent.report({ type: 'heartbeat', data: { agent_id: 'gone', endpoint } });
    const gone = await invoke('gone', { message: 'x' });
    expect(gone.json()).toMatchObject({ code: 'agent_offline', status: 503 });
    expect(gone.headers['retry-after']).toBe('15');
    expect(gone.text).not.toContain(endpoint);
  });

  it('takes only an admin', async () => {
    const { token } = (await server.api.post('/v1/tokens', { scope: 'runner', name: 'r' })).json();
    const answer = await server.api.as(String(token)).post('/v1/agents/support/invoke', { message: 'x' });
    expect(answer.status).toBe(403);
  });
});

describe('An agent that does not take a message', () => {
  let odd: Server;
  let answer: { status: number; headers?: Record<string, string>; body?: object };

  beforeAll(async () => {
    odd = createServer((request, response) => {
      request.resume().once('end', () => {
        response.writeHead(answer.status, answer.headers).end(JSON.stringify(answer.body ?? {}));
      });
    });
    await new Promise<void>((resolve) => odd.listen(0, '127.0.0.1', resolve));
    const endpoint = `http://127.0.0.1:${(odd.address() as AddressInfo).port}`;
    await agent.report({ type: 'heartbeat', data: { agent_id: 'odd', endpoint } });
  });
  afterAll(() => odd?.close());

  it.each([
    [400, 400, 'agent_refused'],
    [422, 400, 'agent_refused'],
    [409, 409, 'agent_refused'],
    [413, 413, 'agent_refused'],
    [415, 415, 'agent_refused'],
    [410, 502, 'agent_failed'],
    [401, 503, 'agent_offline'],
    [404, 503, 'agent_offline'],
    [302, 502, 'agent_failed'],
    [500, 502, 'agent_failed'],
    [503, 503, 'agent_unavailable'],
    [200, 502, 'agent_failed'],
  ])('with %i gives a problem with %i %s', async (status, expected, code) => {
    answer = { status, headers: { location: 'http://127.0.0.1:1/' }, body: { detail: 'the reason' } };
    const problem = await invoke('odd', { message: 'x' });
    expect(problem.json()).toMatchObject({ status: expected, code });
    expect(problem.text.includes('the reason')).toBe(code === 'agent_refused' || status === 410);
  });

  it.each([
    ['Run r-1 is still ending. Try again in a few seconds.', 'Run r-1 is still ending. Try again in a few seconds.'],
    ['no such topic', 'The agent odd did not take the message: no such topic.'],
  ])('with the detail "%s" is reported as "%s"', async (detail, expected) => {
    answer = { status: 409, body: { detail } };
    expect((await invoke('odd', { message: 'x' })).json()).toMatchObject({ detail: expected });
  });

  it('because it is busy says when to come again', async () => {
    answer = { status: 429, headers: { 'retry-after': '7' } };
    const problem = await invoke('odd', { message: 'x' });
    expect(problem.json()).toMatchObject({ status: 429, code: 'agent_busy' });
    expect(problem.headers['retry-after']).toBe('7');
  });
});

describe('waystation invoke', () => {
  /** Does what its message says. */
  const PROGRAM = `
    const { message, thread_id, trace_id, agent_id, context } = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
    const report = (type, data) => console.log(JSON.stringify({ type, data: { thread_id, trace_id, agent_id, ...data } }));
    const asked = { step_index: 0, history: [{ role: 'user', content: message }] };
    if (message === 'fail') process.exit(9);
    if (message === 'ask') {
      report('checkpoint', { ...asked, status: 'waiting_for_approval', pending_tool_calls: [{ name: 'refund', input: {} }] });
      setInterval(() => {}, 1000);
    } else console.log('Line one of ' + message + '\\nline two \\u001b[2J' + JSON.stringify(context));`;
  let runner: AgentRunner;

  beforeAll(async () => {
    const agents = { talker: { command: [process.execPath, '-e', PROGRAM], budget_usd: 1 } };
    runner = await AgentRunner.start({ storage: server.storage, apiUrl: server.api.baseUrl, agents });
  });
  afterAll(() => runner?.stop());

  const waystation = (...args: string[]): Promise<CommandResult> =>
    runCommand(server.storage, ['invoke', ...args], { WAYSTATION_API_URL: server.api.baseUrl });

  it('starts a run and says which', async () => {
    const { code, stdout } = await waystation('talker', 'hello', '--thread', 'talk-1');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Started run \S+ in thread talk-1\n$/);
    await endOf(server.api, 'talk-1');
    const { run_id, thread_id, status } = JSON.parse((await waystation('talker', 'hello', '--json')).stdout);
    expect(status).toBe('started');
    expect((await endOf(server.api, thread_id)).trace_id).toBe(run_id);
  });

  it('waits for the answer and prints it, with nothing in it that a terminal would obey', async () => {
    const { code, stdout } = await waystation('talker', 'tea', '--wait');
    expect([code, stdout]).toEqual([0, 'Line one of tea\nline two \\u001b[2Jnull\n']);
    const json = JSON.parse((await waystation('talker', 'tea', '--wait', '--json')).stdout);
    expect(json).toMatchObject({ status: 'completed', message: expect.stringContaining('tea') });
  });

  it('tells by its exit code that the run failed, or waits for a person', async () => {
    const failed = await waystation('talker', 'fail', '--wait');
    expect(failed.code).toBe(3);
    expect(failed.stderr).toMatch(/ended with error: The program ended with exit code 9/);
    const asks = await waystation('talker', 'ask', '--wait', '--thread', 'talk-2');
    expect(asks.code).toBe(5);
    expect(asks.stderr).toMatch(/waits for a person to decide on \S+: npx waystation approve \S+ 0, or/);
    await server.api.delete('/threads/talk-2');
  });

  it('waits for the approvals of its own run and of those below it, not of others in the thread', async () => {
    const usual = agent.script;
    agent.script = async ({ runId, threadId }) => {
      const asks = (traceId: string, parent_trace_id: string) =>
        waiting({ threadId, traceId }, 0, { parent_trace_id, agent_id: 'helper' });
      const own = [{ trace_id: runId }, { trace_id: 'child', parent_trace_id: runId, agent_id: 'helper' }];
      await recordEach(server.api, ...own.map((fields) => started(threadId, fields)), asks('foreign', 'elsewhere'));
      await recordEach(server.api, asks('circle-1', 'circle-2'), asks('circle-2', 'circle-1'));
      await recordEach(server.api, asks('grandchild', 'child'));
    };
    const { code, stderr } = await waystation('support', 'delegate', '--wait', '--thread', 'talk-3');
    agent.script = usual;
    expect([code, stderr]).toEqual([5, expect.stringContaining(': npx waystation approve grandchild 0, or reject it')]);
    const { items } = (await server.api.get('/approvals?thread_id=talk-3')).json<{ items: { trace_id: string }[] }>();
    expect(items.map(({ trace_id }) => trace_id)).toEqual(['foreign', 'circle-1', 'circle-2', 'grandchild']);
    await server.api.delete('/threads/talk-3');
  });

  it('says plainly that there is no such agent', async () => {
    const { code, stderr } = await waystation('nobody', 'hello');
    expect(code).toBe(1);
    expect(stderr).toContain('No agent nobody has sent a heartbeat. `npx waystation agent FILE` sends them');
  });
});
