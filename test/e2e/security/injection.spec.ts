import { connect } from 'node:net';
import { checkpoint, newThreadId, started } from '../../factories/events.js';
import { newRun, waiting, working } from '../../factories/waiting.js';
import { problemOf } from '../../support/problem.js';
import { rawAt } from '../../support/raw-json.js';
import { EVENTS, latestPath, ok, record, recordEach, threadPath } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';

const server = useServer({ env: { WAYSTATION_LOG_LEVEL: 'trace' } });

/** Sends bytes unchanged; a client library would refuse to. */
function exchange(text: string): Promise<string> {
  const { hostname, port } = new URL(server.api.baseUrl);
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => socket.write(text));
    socket.on('data', (chunk) => (answer += chunk.toString('latin1')));
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
  });
}

describe('Paths that try to climb', () => {
  it.each([
    '/threads/..%2f..%2fhealth%2fready',
    '/threads/%2e%2e/%2e%2e/v1/tokens',
    '/threads/..%5c..%5cetc%5cpasswd',
    '/docs/..%2f..%2fpackage.json',
    '/docs/%2e%2e/%2e%2e/package.json',
    '/docs/..%2f..%2f..%2f..%2fetc/passwd',
    '/docs/....//....//package.json',
    '//threads/../v1/tokens',
    '/health/../v1/tokens',
    '/health/%2e%2e/v1/tokens',
    '/v1/runners/threads/..%2f..%2ftokens/latest',
  ])('reach nothing without a token: %s', async (path) => {
    const answer = await server.api.get(path, { token: null });
    expect([400, 401, 404]).toContain(answer.status);
    expect(answer.text).not.toMatch(/"dependencies"|root:|"items"/);
    expect([400, 404, 200]).toContain((await server.api.get(path)).status);
  });

  it('are ids like others where they stand in a report', async () => {
    const threadId = '../../etc/passwd';
    await record(server.api, checkpoint(threadId, 0));
    expect(ok(await server.api.get(latestPath(threadId))).json().thread_id).toBe(threadId);
  });
});

describe('Line ends and escapes of terminals', () => {
  it.each(['a\nb', 'a\r\nSet-Cookie: x=1', '\u001b[2J', '\u009b31m', 'a\u0000b', 'a\u007fb'])(
    'are in no id: %j',
    async (id) => {
      for (const name of ['thread_id', 'trace_id', 'agent_id']) {
        const { data } = checkpoint(newThreadId(), 0, { [name]: id });
        problemOf(await server.api.post(EVENTS, { events: [{ type: 'checkpoint', data }] }), 400);
      }
    },
  );

  it('make no header of what a path or a request id says', async () => {
    const head = 'Host: localhost\r\nConnection: close\r\n';
    const answers = [
      await exchange(`GET /threads/a%0d%0aSet-Cookie:%20x=1 HTTP/1.1\r\n${head}\r\n`),
      await exchange(`GET /health HTTP/1.1\r\n${head}X-Request-Id: a\u001b[31m\r\n\r\n`),
      await exchange(`GET /health HTTP/1.1\r\n${head}X-Request-Id: ${'a'.repeat(500)}\r\n\r\n`),
      await exchange(`GET /health HTTP/1.1\r\n${head}X-Request-Id: a b"<script>\r\n\r\n`),
    ];
    for (const answer of answers) {
      expect(answer).toMatch(/^HTTP\/1\.1 /);
      expect(answer).not.toMatch(/^set-cookie/im);
      expect(answer).toMatch(/^x-request-id: [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\r$/im);
    }
  });

  it('and forged lines never get into the log, which stays one JSON document a line', async () => {
    const forged = '\n{"level":"fatal","msg":"forged"}\n\u001b[2J\u001b]0;x\u0007';
    const threadId = newThreadId();
    await recordEach(
      server.api,
      started(threadId),
      { type: 'budget_warning', data: { thread_id: threadId, run_cost_usd: 1, model: forged, note: forged } },
      { type: 'thread_error', data: { thread_id: threadId, error: forged } },
    );
    await server.api.post(EVENTS, {
      events: [
        { type: forged, data: { thread_id: forged } },
        { type: 7, data: forged },
      ],
    });
    await server.api.get(`/threads?q=${encodeURIComponent(forged)}&limit=${encodeURIComponent(forged)}`);
    await server.api.get(`/threads/${encodeURIComponent(forged)}`);
    await server.api.post('/v1/tokens', { scope: 'runner', name: forged });
    await server.api.get('/health', { headers: { 'user-agent': 'x {"level":"fatal"}' } });
    const lines = server.process.printed.split('\n').filter((line) => line.startsWith('{'));
    expect(lines.length).toBeGreaterThan(5);
    for (const line of lines) expect((JSON.parse(line) as { msg: string }).msg).not.toBe('forged');
    expect(server.process.printed).not.toMatch(/^\{"level":"fatal","msg":"forged"/m);
    expect(server.process.printed).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f\u009b]/);
  });
});

/** Merged carelessly, this would change every object of the process. */
const POLLUTION = [
  '"__proto__":{"polluted":"yes","limit":1,"scope":"admin","status":500}',
  '"constructor":{"prototype":{"polluted":"yes"}}',
  '"prototype":{"polluted":"yes"}',
  '"\\u005f\\u005fproto\\u005f\\u005f":{"polluted":"yes"}',
];

describe('Members that mean something to JavaScript', () => {
  const bodies: [string, (member: string) => string][] = [
    [EVENTS, (member) => `{${member},"events":[]}`],
    [EVENTS, (member) => `{"events":[{${member},"type":"checkpoint","data":{"thread_id":"polluted"}}]}`],
    [EVENTS, (member) => `{"events":[{"type":"checkpoint","data":{"thread_id":"polluted",${member}}}]}`],
    [EVENTS, (member) => `{"events":[{"type":"thread_error","data":{"thread_id":"polluted","error":{${member}}}}]}`],
    [EVENTS, (member) => `{"events":[{"type":"heartbeat","data":{"agent_id":"a",${member}}}]}`],
    ['/v1/tokens', (member) => `{"scope":"runner",${member}}`],
    ['/approvals/nobody/1/approve', (member) => `{${member},"decisions":[{"index":0,"decision":"approve",${member}}]}`],
    ['/approvals/nobody/1/reject', (member) => `{${member}}`],
  ];

  it.each(bodies.flatMap(([path, body]) => POLLUTION.map((member) => [path, body(member)])))(
    'neither crash nor change %s: %s',
    async (path, body) => {
      const answer = await server.api.post(path, body);
      expect(answer.status).toBeLessThan(500);
      const health = await server.api.get('/health', { token: null });
      expect(Object.keys(health.json())).toEqual(['status', 'version']);
      problemOf(await server.api.get('/threads', { token: null }), 401);
      expect(Object.hasOwn(ok(await server.api.get('/threads')).json(), 'polluted')).toBe(false);
    },
  );

  it('are given back exactly, in messages, in fields of the client and in tool calls', async () => {
    const member = POLLUTION.slice(0, 3).join(',');
    const run = newRun();
    const history = `[{"role":"user","content":"x",${member}}]`;
    const data = `{"thread_id":"${run.threadId}","trace_id":"${run.traceId}","step_index":0,"history":${history},"own":{${member}}}`;
    ok(await server.api.post(EVENTS, `{"events":[{"type":"checkpoint","data":${data}}]}`));
    const { text } = ok(await server.api.get(latestPath(run.threadId)));
    expect([rawAt(text, 'history'), rawAt(text, 'own')]).toEqual([history, `{${member}}`]);
    ok(await server.api.get(threadPath(run.threadId)));
    const calls = `[{"function":"pay","args":{${member}}}]`;
    const call = `{"thread_id":"${run.threadId}","trace_id":"${run.traceId}","step_index":1,"pending_tool_calls":${calls}}`;
    ok(await server.api.post(EVENTS, `{"events":[{"type":"checkpoint","data":${call}}]}`));
    const approval = ok(await server.api.get(`/approvals/${run.traceId}/1`)).text;
    expect(rawAt(approval, 'tool_calls', 0, 'args')).toBe(`{${member}}`);
    await record(server.api, working(newRun(), 0), waiting(newRun(), 1));
  });
});
