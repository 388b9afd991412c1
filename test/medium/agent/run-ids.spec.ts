import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadAgentConfig } from '../../../src/config/env.js';
import { startAgent, type RunningAgent } from '../../../src/create-agent.js';
import { parseDefinition } from '../../../src/modules/triggers/definition/definition-reader.js';
import { InvokeToken } from '../../../src/modules/triggers/heartbeat/own-agents.js';
import { newThreadId } from '../../factories/events.js';
import { endOf } from '../../support/agent-runner.js';
import { ApiClient, type Answer } from '../../support/api-client.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { problemOf } from '../../support/problem.js';
import { waitFor } from '../../support/wait.js';

const DEFINITION = JSON.stringify({
  agents: {
    fails: { command: ['sh', '-c', 'read line; echo >> starts; exit 3'] },
    one: { command: ['sh', '-c', 'read line; echo done'] },
    two: { command: ['true'] },
  },
  triggers: [{ type: 'webhook', endpoint: '/hook', target_agent: 'one' }],
});

let home: string;
let server: InProcessApp;
let agent: RunningAgent;
let client: ApiClient;

beforeAll(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'waystation-ids-'));
  server = await startApp();
  const env = { WAYSTATION_AGENT_PORT: '0', WAYSTATION_LOG_LEVEL: 'silent', WAYSTATION_HOME: home };
  const config = loadAgentConfig({}, { ...env, PATH: process.env.PATH, WAYSTATION_API_URL: server.api.baseUrl });
  const definition = parseDefinition(path.join(home, 'agents.json'), DEFINITION, { variables: {}, defaultPort: 0 });
  agent = await startAgent({ config, definition, apiToken: server.storage.secret });
  client = new ApiClient(`http://127.0.0.1:${agent.ports.main}`, agent.app.get(InvokeToken, { strict: false }).value);
});
afterAll(async () => {
  client?.close();
  await agent?.app.close();
  await server?.stop();
  await rm(home, { recursive: true, force: true });
});

const invoke = (agentName: string, thread_id: string, run_id: string, key: string) =>
  client.post(`/invoke/${agentName}`, { message: 'x', thread_id, run_id }, { headers: { 'idempotency-key': key } });

describe('A run whose id the server has given', () => {
  it('has that id, whatever key its message is sent with', async () => {
    const threadId = newThreadId();
    const [first, second] = await Promise.all(['k1', 'k2'].map((key) => invoke('one', threadId, 'm-1', key)));
    expect(first!.json()).toEqual({ run_id: 'm-1', thread_id: threadId, status: 'started' });
    expect(second!.json()).toEqual(first!.json());
    expect(await endOf(server.api, threadId)).toMatchObject({ status: 'completed', trace_id: 'm-1', runs: 1 });
    expect((await invoke('one', threadId, 'm-1', 'k3')).status).toBe(202);
  });

  it('is not mistaken for one of another agent or thread', async () => {
    const threadId = newThreadId();
    await invoke('one', threadId, 'm-2', 'k4');
    const others = [await invoke('two', threadId, 'm-2', 'k5'), await invoke('one', newThreadId(), 'm-2', 'k6')];
    for (const answer of others) expect(problemOf(answer, 409).code).toBe('run_id_taken');
  });
});

describe('An idempotency key', () => {
  const first = { message: 'x', thread_id: 'keyed', context: { n: 1 } };
  const others = [
    { ...first, message: 'y' },
    { ...first, thread_id: 'another' },
    { message: 'x', context: { n: 1 } },
    { ...first, context: { n: 2 } },
    { message: 'x', thread_id: 'keyed' },
  ];
  const doors: [string, (body: object, key: string) => Promise<Answer>][] = [
    ['a webhook', (body, key) => client.post('/hook', body, { headers: { 'idempotency-key': key } })],
    ['/invoke', (body, key) => client.post('/invoke/one', body, { headers: { 'idempotency-key': key } })],
    ['the API', (body, key) => server.api.post('/v1/agents/one/invoke', body, { headers: { 'idempotency-key': key } })],
  ];

  it.each(doors)(
    'that comes with another body is refused at %s; the first body still gets its run',
    async (_, send) => {
      await waitFor('the agent', async () => (await server.api.get('/v1/agents')).text.includes('"one"'));
      const { run_id } = (await send(first, 'reused')).json();
      for (const body of others) {
        const problem = problemOf(await send(body, 'reused'), 422);
        expect([problem.code, problem.errors]).toEqual([
          'idempotency_key_reused',
          [{ path: 'Idempotency-Key', detail: expect.any(String) }],
        ]);
        expect((await send(body, `of ${JSON.stringify(body)}`)).status).toBe(202);
      }
      expect((await send({ ...first, event: undefined }, 'reused')).json().run_id).toBe(run_id);
    },
  );

  it('starts one run of several requests at once, and refuses those with another body', async () => {
    const [, send] = doors[0]!;
    const answers = await Promise.all([first, others[0]!, first, others[1]!, first].map((body) => send(body, 'raced')));
    const statuses = answers.map(({ status }) => status);
    const ids = answers.filter(({ status }) => status === 202).map((answer) => answer.json().run_id);
    expect(new Set(ids).size).toBe(1);
    expect(statuses.filter((status) => status !== 202)).toEqual(statuses.filter((status) => status === 422));
    expect(statuses).toContain(422);
  });

  it('of a message that has an id is good for whatever comes with it: its sender may tell more the second time', async () => {
    const body = { message: 'x', thread_id: newThreadId(), run_id: 'm-7' };
    const send = (context: object) =>
      client.post('/invoke/one', { ...body, context }, { headers: { 'idempotency-key': 'of m-7' } });
    expect((await send({ n: 1 })).json()).toEqual((await send({ n: 2 })).json());
    const digest = { ...body, request_digest: 'not a digest!' };
    expect(problemOf(await client.post('/invoke/one', digest), 400).errors![0]!.path).toBe('request_digest');
  });
});

describe('A request to take a run up again', () => {
  const retry = (thread_id: string, key: string, run_id = 'm-3', more: object = {}) => {
    const body = { message: 'x', thread_id, run_id, retry_of: run_id, ...more };
    return client.post('/invoke/fails', body, { headers: { 'idempotency-key': key } });
  };
  const starts = () => readFile(path.join(home, 'starts'), 'utf8').catch(() => '');
  const latest = async (threadId: string, run_id: string) =>
    (await server.api.get(`/v1/runners/threads/${threadId}/latest?trace_id=${run_id}&history=none`)).json<{
      status: string;
      rev: number;
    }>();

  it('is one retry however often it comes by the same key, also after the end of that; another key is another', async () => {
    const threadId = newThreadId();
    await invoke('fails', threadId, 'm-3', 'k7');
    for (const key of ['r1', 'r2', 'r3']) {
      // Refused until the run has ended.
      await waitFor('the retry', async () => (await retry(threadId, key)).status === 202);
      const again = await Promise.all([retry(threadId, key), retry(threadId, key)]);
      for (const answer of again) expect([answer.status, answer.json().run_id]).toEqual([202, 'm-3']);
    }
    await waitFor('four starts', async () => (await starts()).length >= 4);
    expect(await starts()).toHaveLength(4);
  });

  it('is over where the run has ended since it was asked for: another process, or another retry, has done the work', async () => {
    const [threadId, id] = [newThreadId(), 'm-4'];
    const before = (await starts()).length;
    await invoke('fails', threadId, id, 'k8');
    await waitFor('the end', async () => (await latest(threadId, id)).status === 'error');
    const { rev } = await latest(threadId, id);
    const taken = (key: string, retry_since: number) =>
      waitFor('the retry', async () => (await retry(threadId, key, id, { retry_since })).status === 202);
    await taken('r1', rev);
    await waitFor('the end of the retry', async () => (await latest(threadId, id)).rev > rev + 1);
    await waitFor('its end', async () => (await latest(threadId, id)).status === 'error');
    expect(await starts()).toHaveLength(before + 2);
    // Two in a row: the second is accepted once the first has ended.
    for (const key of ['r2', 'r3']) await taken(key, rev);
    expect(await starts()).toHaveLength(before + 2);
    await taken('r4', (await latest(threadId, id)).rev);
    await waitFor('a start', async () => (await starts()).length > before + 2);
    expect(await starts()).toHaveLength(before + 3);
  });

  it('is not begun where a person has cancelled the run since it was asked for', async () => {
    const [threadId, id] = [newThreadId(), 'm-5'];
    const ids = { thread_id: threadId, trace_id: id, agent_id: 'fails' };
    const history = [{ role: 'user', content: 'x' }];
    const events = [{ type: 'checkpoint', data: { ...ids, step_index: 0, history } }];
    await server.api.post('/v1/runners/events', { events });
    const { rev } = await latest(threadId, id);
    await server.api.post(`/v1/threads/${threadId}/runs/${id}/cancel`);
    const before = (await starts()).length;
    expect((await retry(threadId, 'r1', id, { retry_since: rev })).status).toBe(202);
    const { rev: now } = await latest(threadId, id);
    await waitFor('the next', async () => (await retry(threadId, 'r2', id, { retry_since: now })).status === 202);
    // Its program fails; until then the run is cancelled.
    await waitFor('the end of the next', async () => (await latest(threadId, id)).status === 'error');
    expect(await starts()).toHaveLength(before + 1);
  });

  it('is refused for the same run of another thread', async () => {
    const threadId = newThreadId();
    await invoke('fails', threadId, 'm-6', 'k9');
    await waitFor('the retry', async () => (await retry(threadId, 'r1', 'm-6')).status === 202);
    expect(problemOf(await retry(newThreadId(), 'r1', 'm-6'), 409).code).toBe('run_id_taken');
  });
});
