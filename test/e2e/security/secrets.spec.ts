import { checkpoint, newThreadId, started } from '../../factories/events.js';
import { testDialect } from '../../support/dialect.js';
import { problemOf } from '../../support/problem.js';
import { EVENTS, latestPath, record, threadPath } from '../../support/recording.js';
import { ServerProcess } from '../../support/server-process.js';
import { siblingHome } from '../../support/storage.js';
import { contentsOf } from '../../support/table-contents.js';
import { useServer } from '../../support/test-server.js';

const server = useServer({ env: { WAYSTATION_LOG_LEVEL: 'trace' } });

async function mint(scope: string): Promise<{ id: string; token: string }> {
  return (await server.api.post('/v1/tokens', { scope })).json<{ id: string; token: string }>();
}

describe('Secrets', () => {
  it('of no kind get into the log, whatever goes wrong, nor into an answer', async () => {
    const { token } = await mint('runner');
    const mistaken = 'a-token-that-was-mistyped-4711';
    const [invoke, message, inQuery] = ['invoke-secret-4711', 'private message 4711', 'query-secret-4711'];
    const threadId = newThreadId();
    const answers = [
      await server.api.get('/threads', { token: mistaken }),
      await server.api.get(`/threads?token=${inQuery}&access_token=${inQuery}&limit=${inQuery}`),
      await server.api.get(`/nowhere?secret=${inQuery}`),
      await server.api.get('/threads', { token: null, headers: { authorization: `Basic ${mistaken}` } }),
      await server.api.get('/threads', { token: null, headers: { cookie: `token=${mistaken}` } }),
      await server.api.post(EVENTS, {
        events: [{ type: 'heartbeat', data: { agent_id: 'a', endpoint: 'ftp://x', invoke_token: invoke } }],
      }),
      await server.api.post(EVENTS, { events: [{ type: 'heartbeat', data: { agent_id: 7, invoke_token: invoke } }] }),
      await server.api.post(EVENTS, `{"events":[{"type":"heartbeat","data":{"invoke_token":"${invoke}"`),
      await server.api.get('/v1/agents'),
      await server.api.get('/v1/tokens'),
      await server.api.get('/metrics'),
      await server.api.get('/health/ready'),
    ];
    const heartbeat = { agent_id: 'a', endpoint: 'http://127.0.0.1:9/', invoke_token: invoke };
    await record(
      server.api.as(token),
      started(threadId),
      checkpoint(threadId, 0, { history: [{ role: 'user', content: message }] }),
    );
    await record(server.api.as(token), { type: 'heartbeat', data: heartbeat });
    await server.api.get(latestPath(threadId), { token });
    const { printed } = server.process;
    expect(printed).toContain('"msg":"request"');
    const password = server.storage.databaseUrl === null ? null : new URL(server.storage.databaseUrl).password;
    const secrets = [server.storage.secret, token, mistaken, invoke, message, inQuery];
    for (const secret of secrets) expect(printed).not.toContain(secret);
    if (password !== null) expect(printed).not.toContain(`:${password}@`);
    for (const { text } of answers) {
      for (const secret of [server.storage.secret, token, mistaken, invoke]) expect(text).not.toContain(secret);
    }
  });

  it('of an agent are not stored with an event that is no heartbeat, mistyped or not', async () => {
    const secret = 'invoke-secret-4712';
    const threadId = newThreadId();
    const data = { thread_id: threadId, trace_id: 'run-1', agent_id: 'a', endpoint: 'http://127.0.0.1:9/' };
    const escaped = (type: string) =>
      `{"events":[{"type":"${type}","data":{${JSON.stringify(data).slice(1, -1)},"invoke\\u005ftoken":"${secret}"}}]}`;
    for (const type of ['hearbeat', 'Heartbeat', 'agent_heartbeat', 'checkpoint', 'thread_started', 'log']) {
      const plain = { events: [{ type, data: { ...data, invoke_token: secret } }] };
      for (const body of [plain, escaped(type)]) {
        const answer = await server.api.post(EVENTS, body);
        expect([type, answer.status, answer.text]).toEqual([type, 400, expect.stringContaining('data.invoke_token')]);
        expect(answer.text).not.toContain(secret);
      }
    }
    problemOf(await server.api.get(threadPath(threadId)), 404);
    expect(JSON.stringify(await contentsOf(server.storage))).not.toContain(secret);
    expect(server.process.printed).not.toContain(secret);
  });

  it('are refused alike, whether they are nearly right or not at all', async () => {
    const { secret } = server.storage;
    const wrong = [
      `${secret.slice(0, -1)}x`,
      `x${secret.slice(1)}`,
      `${secret}0`,
      secret.slice(0, 10),
      secret.toUpperCase(),
    ];
    const answers = await Promise.all(wrong.map((token) => server.api.get('/threads', { token })));
    expect(new Set(answers.map((answer) => problemOf(answer, 401).detail)).size).toBe(1);
  });
});

/** SQLite belongs to one process. */
if (testDialect() === 'postgres') {
  describe('A token that is revoked on one instance', () => {
    it('is refused by the others at once, also where it was used just before', async () => {
      const env = { WAYSTATION_HOME: await siblingHome(server.storage) };
      const other = await ServerProcess.start(server.storage, { env });
      try {
        for (let round = 0; round < 10; round++) {
          const { id, token } = await mint('admin');
          const used = await Promise.all([server.api.get('/threads', { token }), other.api.get('/threads', { token })]);
          expect(used.map(({ status }) => status)).toEqual([200, 200]);
          expect((await server.api.delete(`/v1/tokens/${id}`)).status).toBe(204);
          problemOf(await other.api.get('/threads', { token }), 401);
        }
      } finally {
        await other.stop();
      }
    });
  });
}
