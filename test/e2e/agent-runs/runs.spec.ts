import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { newThreadId } from '../../factories/events.js';
import { AgentRunner, endOf, programPath } from '../../support/agent-runner.js';
import { checkpointsOf, latestOf, type Page } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const server = useServer();
const shell = (script: string, fields: object = {}) => ({ command: ['sh', '-c', script], ...fields });
/** So rarely due that no test meets it. */
const LEAP_DAY = { type: 'schedule', cron: '0 12 29 2 *', timezone: 'Europe/Berlin', message: 'Leap' };
const AGENTS = {
  plain: shell('read line; echo "you said: $WAYSTATION_MESSAGE"'),
  input: shell('cat', { triggers: [LEAP_DAY] }),
  environment: shell('env > env.part; mv env.part env; until [ -e seen ]; do sleep 0.1; done'),
  failing: shell('echo partial; echo "the reason" >&2; exit 3'),
  missing: { command: ['/no/such/program'] },
  stubborn: shell("trap '' TERM; while true; do sleep 0.1; done", { timeout_seconds: 2.5 }),
  narrow: shell('until [ -e go ]; do sleep 0.1; done', { concurrency: 1, queue_limit: 1 }),
  printing: { command: ['node', programPath('steps.mjs')], env: { STEPS: '3', PAUSE_MS: '1', ANSWER: 'the end' } },
  python: {
    command: ['python3', 'late.py'],
  },
  marked: shell(
    String.raw`printf '\357\273\277{"type":"checkpoint","data":{"step_index":0,"history":["first"]}}\n\357\273\277answer\n'`,
  ),
  reporting: { command: ['node', programPath('self-reporting.mjs')], env: { STEPS: '3', PAUSE_MS: '1' } },
  dear: { command: ['node', programPath('steps.mjs')], env: { STEPS: '900', PAUSE_MS: '30' }, budget_usd: 0.05 },
  dearReporting: {
    command: ['node', programPath('self-reporting.mjs')],
    env: { STEPS: '900', PAUSE_MS: '30' },
    budget_usd: 0.05,
  },
};

let agents: AgentRunner;
beforeAll(async () => {
  agents = await AgentRunner.start({ storage: server.storage, apiUrl: server.api.baseUrl, agents: AGENTS });
});
afterAll(async () => {
  await agents?.stop();
});

type Message = { role: string; content: string };

async function played(agent: string, message = 'hello', threadId = newThreadId()) {
  const { runId } = await agents.launch(agent, threadId, message);
  const detail = await endOf(server.api, threadId);
  const history = (await latestOf(server.api, threadId)).history as Message[];
  return { threadId, runId, detail, said: history.map(({ content }) => content) };
}

describe('A run', () => {
  it('of a program that knows nothing of us is recorded from beginning to end', async () => {
    const { threadId, runId, detail, said } = await played('plain');
    expect(said).toEqual(['hello', 'you said: hello']);
    expect(detail).toMatchObject({ status: 'completed', agents: ['plain'], runs: 1 });
    const rows = await checkpointsOf(server.api, threadId);
    expect(rows.map(({ trace_id, step_index, status }) => [trace_id, step_index, status])).toEqual([
      [runId, 0, 'completed'],
    ]);
  });

  it('in a thread that has one already begins with its memory', async () => {
    const { threadId } = await played('plain');
    await agents.launch('plain', threadId, 'again');
    const history = await waitFor('the second answer', async () => {
      const latest = await latestOf(server.api, threadId);
      return latest.status === 'completed' && latest.history.length === 4 ? (latest.history as Message[]) : undefined;
    });
    expect(history.map(({ content }) => content)).toEqual(['hello', 'you said: hello', 'again', 'you said: again']);
  });

  it('is told its task as one line of JSON', async () => {
    const { threadId, runId, said } = await played('input', 'the task');
    expect(JSON.parse(said[1]!)).toEqual({
      message: 'the task',
      agent_id: 'input',
      thread_id: threadId,
      trace_id: runId,
      context: null,
      resumed: false,
      checkpoint: null,
    });
  });

  it('gets a token that reports for this run, can do nothing else, and ends with the program', async () => {
    const [threadId, folder] = [newThreadId(), path.join(server.storage.home, 'agents')];
    const { runId } = await agents.launch('environment', threadId);
    const variables = await waitFor('the program', () => readFile(path.join(folder, 'env'), 'utf8').catch(() => false));
    const token = /^WAYSTATION_TOKEN=(.*)$/m.exec(String(variables))?.[1] ?? '';
    expect(token).toMatch(/^wst_/);
    expect(variables).not.toContain(server.storage.secret);
    const own = server.api.as(token);
    const log = (trace_id: string) => ({
      events: [{ type: 'log', data: { thread_id: threadId, trace_id, agent_id: 'environment' } }],
    });
    expect((await own.post('/v1/runners/events', log(runId))).status).toBe(200);
    expect((await own.post('/v1/runners/events', log('another'))).status).toBe(400);
    const beat = (agent_id: string) => ({ events: [{ type: 'heartbeat', data: { agent_id } }] });
    expect((await own.post('/v1/runners/events', beat('environment'))).status).toBe(200);
    expect((await own.post('/v1/runners/events', beat('plain'))).status).toBe(400);
    for (const path of ['/approvals', '/threads', '/v1/tokens', '/v1/agents']) {
      expect((await own.get(path)).status).toBe(403);
    }
    await writeFile(path.join(folder, 'seen'), '');
    await endOf(server.api, threadId);
    await waitFor('the token to end', async () => (await own.get('/approvals')).status === 401);
    own.close();
  });

  it('that prints its checkpoints gets them recorded, and its answer behind them', async () => {
    const { threadId, detail, said } = await played('printing');
    expect(said).toEqual(['hello', 'step 0', 'step 1', 'step 2', 'the end']);
    expect(detail.status).toBe('completed');
    const rows = await checkpointsOf(server.api, threadId);
    expect(rows.map(({ step_index }) => step_index)).toEqual([0, 1, 2, 3]);
  });

  it('of a program in Python shows its steps while it works', async () => {
    const folder = path.join(server.storage.home, 'agents');
    const program = [
      'import json, os, time',
      'print(json.dumps({"type": "checkpoint", "data": {"step_index": 0, "history": ["first"]}}))',
      'while not os.path.exists("python-go"): time.sleep(0.1)',
    ];
    await writeFile(path.join(folder, 'late.py'), program.join('\n'));
    const { threadId } = await agents.launch('python', newThreadId());
    const history = await waitFor('its step', async () => {
      const rows = await checkpointsOf(server.api, threadId).catch(() => []);
      return rows.at(-1)?.history.length ? rows.at(-1)!.history : undefined;
    });
    expect(history).toEqual(['first']);
    await writeFile(path.join(folder, 'python-go'), '');
    expect(await endOf(server.api, threadId)).toMatchObject({ status: 'completed' });
  });

  it('whose program puts a byte order mark before what it prints is recorded without it', async () => {
    const { threadId } = await played('marked');
    expect((await latestOf(server.api, threadId)).history).toEqual([
      'first',
      { role: 'user', content: 'hello' },
      { role: 'assistant', content: 'answer' },
    ]);
  });

  it('that reports for itself is left alone', async () => {
    const { threadId, detail, said } = await played('reporting');
    expect(said).toEqual(['hello', 'step 0', 'step 1', 'step 2']);
    expect(detail).toMatchObject({ status: 'completed', runs: 1 });
    expect(await checkpointsOf(server.api, threadId)).toHaveLength(3);
  });

  it('that fails tells its exit code and the end of its errors', async () => {
    const { detail, said } = await played('failing');
    expect(detail).toMatchObject({ status: 'error', error: { exit_code: 3, signal: null, stderr: 'the reason' } });
    expect(said).toEqual(['hello']);
  });

  it('whose program cannot be started fails, and says why', async () => {
    const { detail } = await played('missing');
    expect(detail).toMatchObject({ status: 'error', error: { message: expect.stringContaining('ENOENT') } });
  });

  it('that takes too long is ended, however stubborn', async () => {
    const { detail } = await played('stubborn');
    expect(detail).toMatchObject({
      status: 'error',
      error: { signal: 'SIGKILL', message: expect.stringContaining('2.5') },
    });
  });

  it.each(['dear', 'dearReporting'])('that passes its budget is stopped: %s', async (agent) => {
    const { detail } = await played(agent);
    expect(detail).toMatchObject({ status: 'budget_exceeded' });
    const logs = detail.logs as { kind: string; message: string; level: string }[];
    expect(logs.filter(({ level, kind }) => level === 'warn' && kind === 'event')).toHaveLength(1);
    expect((detail.run_cost_usd as number) > 0.05).toBe(true);
    expect((detail.history as unknown[]).length).toBeLessThan(800);
  });

  it('beyond the queue of its agent is refused, and the others are not', async () => {
    const answers = [];
    for (let n = 0; n < 3; n++) answers.push(await agents.post('narrow', { message: 'x' }));
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 429]);
    expect(answers[2]?.headers['retry-after']).toBeDefined();
    expect((await agents.post('plain', { message: 'x' })).status).toBe(202);
    await writeFile(path.join(server.storage.home, 'agents', 'go'), '');
  });

  it('is the same for the same idempotency key', async () => {
    const key = { 'idempotency-key': 'once' };
    const answers = [
      await agents.post('plain', { message: 'x' }, key),
      await agents.post('plain', { message: 'x' }, key),
    ];
    expect(answers[0]?.json().run_id).toBe(answers[1]?.json().run_id);
  });
});

describe('Agents', () => {
  it('are listed with their address, and without their secret', async () => {
    const answer = await server.api.get('/v1/agents');
    const { items } = answer.json<Page<Record<string, unknown>>>();
    expect(items.map(({ agent_id }) => agent_id).sort()).toEqual(Object.keys(AGENTS).sort());
    // One of them has sent its own heartbeat above.
    for (const item of items.filter(({ agent_id }) => agent_id !== 'environment')) {
      expect(item).toMatchObject({ online: true, endpoint: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+/) });
      const known = ['agent_id', 'endpoint', 'last_seen', 'online', 'queued_runs', 'triggers'];
      expect(Object.keys(item).sort()).toEqual(known);
    }
  });

  it('are listed with what starts them, and when that is next', async () => {
    const { items } = (await server.api.get('/v1/agents')).json<Page<{ agent_id: string; triggers: object[] }>>();
    const next = ['2028', '2032', '2036', '2040', '2044'].map((year) => `${year}-02-29T11:00:00.000Z`);
    expect(items.find(({ agent_id }) => agent_id === 'input')?.triggers).toEqual([
      { id: 'agents.input.triggers[0]', type: 'schedule', cron: LEAP_DAY.cron, timezone: LEAP_DAY.timezone, next },
      { id: 'triggers[1]', type: 'webhook', endpoint: '/input' },
    ]);
  });

  it.each([
    ['data.triggers', 'everything'],
    ['data.triggers', Array.from({ length: 101 }, (_, id) => ({ id: `${id}`, type: 'webhook' }))],
    ['data.triggers[1]', [{ id: 'a', type: 'webhook' }, 7]],
    ['data.triggers[0].id', [{ type: 'webhook' }]],
    ['data.triggers[0].type', [{ id: 'a', type: 'moon' }]],
    ['data.triggers[0].next', [{ id: 'a', type: 'schedule', next: ['tomorrow'] }]],
    ['data.triggers[0].cron', [{ id: 'a', type: 'schedule', cron: 5 }]],
  ])('are refused with faulty triggers: %s', async (path, triggers) => {
    const beat = { type: 'heartbeat', data: { agent_id: 'faulty', triggers } };
    const answer = await server.api.post('/v1/runners/events', { events: [beat] });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(`${path}`);
  });

  it('may say more of a trigger than this server knows', async () => {
    const known = { id: 'a', type: 'webhook', endpoint: '/a' };
    const beat = {
      type: 'heartbeat',
      // Not an agent of the process here, whose own heartbeats would replace these triggers.
      data: { agent_id: 'newer', triggers: [{ ...known, colour: 'red', cron: null }] },
    };
    await server.api.post('/v1/runners/events', { events: [beat] });
    const { items } = (await server.api.get('/v1/agents')).json<Page<{ agent_id: string; triggers: object[] }>>();
    expect(items.find(({ agent_id }) => agent_id === 'newer')?.triggers).toEqual([known]);
  });

  it.each(['ftp://x', 'http://user:pw@x', 'file:///etc/passwd', 'http://x/?a=b', 'nonsense'])(
    'may not be at %s',
    async (endpoint) => {
      const beat = { type: 'heartbeat', data: { agent_id: 'x', endpoint, invoke_token: 'secret-token' } };
      const answer = await server.api.post('/v1/runners/events', { events: [beat] });
      expect(answer.status).toBe(400);
      expect(answer.text).not.toContain('secret-token');
      expect(answer.text).toContain('data.endpoint');
    },
  );
});
