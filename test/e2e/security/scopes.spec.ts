import { readFileSync } from 'node:fs';
import { newRun, waiting } from '../../factories/waiting.js';
import type { ApiClient } from '../../support/api-client.js';
import { approvalOf, decide } from '../../support/approvals.js';
import { EventStream } from '../../support/event-stream.js';
import { problemOf } from '../../support/problem.js';
import { EVENTS, latestPath, ok, record, threadPath } from '../../support/recording.js';
import { sendAny } from '../../support/send-any.js';
import { useSharedServer } from '../../support/shared-server.js';

const server = useSharedServer();
const ANSWER_MS = 60_000;

const SCOPES = ['runner', 'approver', 'reader', 'metrics', 'admin'];

/** Who may call each operation of the API, besides `admin`. A new route needs a line here. */
const MAY_CALL: Record<string, readonly string[]> = {
  'GET /': SCOPES,
  'GET /health': SCOPES,
  'GET /health/ready': SCOPES,
  'GET /metrics': ['metrics', 'reader'],
  'GET /threads': ['reader'],
  'GET /threads/{thread_id}': ['reader'],
  'DELETE /threads/{thread_id}': [],
  'GET /threads/{thread_id}/checkpoints': ['reader'],
  'GET /threads/{thread_id}/steps': ['reader'],
  'GET /threads/{thread_id}/messages': ['reader'],
  'GET /threads/{thread_id}/stream': ['reader'],
  'POST /threads/{thread_id}/runs/{trace_id}/cancel': [],
  'POST /threads/{thread_id}/runs/{trace_id}/retry': [],
  'GET /v1/stats': ['reader'],
  'GET /v1/system': ['reader'],
  'GET /v1/threads/stream': ['reader'],
  'GET /v1/threads/{thread_id}/export': ['reader'],
  'POST /v1/threads/import': [],
  'GET /v1/example-data': [],
  'POST /v1/example-data': [],
  'DELETE /v1/example-data': [],
  'GET /approvals': ['approver', 'reader'],
  'GET /approvals/stream': ['approver', 'reader'],
  'GET /approvals/{trace_id}/{step}': ['approver', 'reader'],
  'POST /approvals/{trace_id}/{step}/approve': ['approver'],
  'POST /approvals/{trace_id}/{step}/reject': ['approver'],
  'POST /approvals/{trace_id}/{step}/answer': ['approver'],
  'GET /v1/rules': ['approver', 'reader'],
  'POST /v1/rules': [],
  'POST /v1/rules/rehearse': ['approver'],
  'GET /v1/rules/suggestions': ['approver'],
  'GET /v1/rules/{id}': ['approver', 'reader'],
  'DELETE /v1/rules/{id}': ['approver'],
  'POST /internal/v1/runners/events': ['runner'],
  'POST /v1/runners/events': ['runner'],
  'POST /v1/runners/hooks/claude': ['runner'],
  'POST /v1/runners/hooks/codex': ['runner'],
  'GET /v1/runners/threads': ['runner'],
  'DELETE /v1/runners/threads/{thread_id}': ['runner'],
  'GET /v1/runners/threads/{thread_id}/runs': ['runner'],
  'GET /v1/runners/threads/{thread_id}/attachments/{attachment_id}': ['runner'],
  'PUT /v1/runners/threads/{thread_id}/attachments/{attachment_id}': ['runner'],
  'GET /v1/runners/threads/{thread_id}/latest': ['runner', 'reader'],
  'POST /v1/runners/threads/{thread_id}/effects': ['runner'],
  'GET /v1/runners/threads/{thread_id}/effects': ['runner', 'approver', 'reader'],
  'GET /v1/runners/threads/{thread_id}/effects/{key}': ['runner', 'approver', 'reader'],
  'PUT /v1/runners/threads/{thread_id}/effects/{key}': ['runner', 'approver'],
  'GET /v1/effects': ['approver', 'reader'],
  'POST /v1/runners/threads/{thread_id}/state': ['runner'],
  'PUT /v1/runners/threads/{thread_id}/state/{checkpoint_id}': ['runner'],
  'POST /v1/runners/threads/{thread_id}/state/{checkpoint_id}/writes': ['runner'],
  'GET /v1/runners/threads/{thread_id}/state/{checkpoint_id}': ['runner'],
  'GET /v1/runners/threads/{thread_id}/state': ['runner'],
  'DELETE /v1/runners/threads/{thread_id}/state': ['runner'],
  'POST /v1/runners/threads/{thread_id}/state/delete': ['runner'],
  'GET /v1/runners/state': ['runner'],
  'GET /v1/runners/state/index': ['runner'],
  'POST /v1/runners/threads/{thread_id}/runs/{trace_id}/lease': ['runner'],
  'GET /v1/runners/threads/{thread_id}/runs/{trace_id}/lease': ['runner'],
  'DELETE /v1/runners/threads/{thread_id}/runs/{trace_id}/lease': ['runner'],
  'GET /v1/agents': ['reader'],
  'POST /v1/agents/{agent_id}/invoke': [],
  'GET /v1/channels': ['reader'],
  'GET /v1/channels/platforms': ['reader'],
  'POST /v1/channels': [],
  'GET /v1/channels/{id}': ['reader'],
  'PATCH /v1/channels/{id}': [],
  'DELETE /v1/channels/{id}': [],
  'PUT /v1/channels/{id}/config': [],
  'POST /v1/channels/{id}/agents': [],
  'DELETE /v1/channels/{id}/agents/{name}': [],
  'POST /v1/channels/{id}/verification-code': [],
  'POST /v1/channels/{id}/verify': [],
  'POST /v1/channels/{id}/check': [],
  'POST /v1/channels/{id}/setup-webhook': [],
  'GET /v1/channels/{id}/messages': ['reader'],
  'GET /v1/notices': ['reader'],
  'POST /v1/notices': [],
  'GET /v1/notices/{id}': ['reader'],
  'PATCH /v1/notices/{id}': [],
  'DELETE /v1/notices/{id}': [],
  'POST /v1/notices/{id}/test': [],
  'POST /v1/notices/{id}/secret': [],
  'GET /v1/notices/{id}/deliveries': ['reader'],
  'POST /v1/notices/{id}/deliveries/{deliveryId}/retry': [],
  'GET /v1/channels/webhook/{platform}': SCOPES,
  'POST /v1/channels/webhook/{platform}': SCOPES,
  'GET /v1/tokens': [],
  'GET /v1/tokens/self': ['runner', 'approver', 'reader', 'metrics'],
  'POST /v1/tokens': ['runner'],
  'DELETE /v1/tokens/{id}': ['runner'],
  'POST /v1/console/codes': ['reader', 'approver'],
  'POST /v1/console/sessions': SCOPES,
  'GET /v1/console/session': ['reader', 'approver'],
  'DELETE /v1/console/session': ['reader', 'approver'],
  'GET /v1/console/sessions': [],
  'DELETE /v1/console/sessions/{id}': [],
};

interface Operation {
  description: string;
  security?: [];
}

const document = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
};
const OPERATIONS = Object.entries(document.paths).flatMap(([path, operations]) =>
  Object.entries(operations).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    method: method.toUpperCase(),
    target: path.replaceAll(/\{\w+\}/g, 'none'),
    operation,
  })),
);

async function tokenOf(scope: string): Promise<string> {
  return (await server.api.post('/v1/tokens', { scope })).json<{ token: string }>().token;
}

describe('The scopes of tokens', () => {
  let tokens: ReadonlyMap<string, string>;
  beforeAll(async () => {
    tokens = new Map(await Promise.all(SCOPES.map(async (scope) => [scope, await tokenOf(scope)] as const)));
  });

  it('are written down for every operation', () => {
    expect(OPERATIONS.map(({ name }) => name).sort()).toEqual(Object.keys(MAY_CALL).sort());
  });

  it.each(OPERATIONS)('open $name as the table says', async ({ name, method, target }) => {
    const origin = new URL(server.api.baseUrl).origin;
    const open: string[] = [];
    for (const [scope, token] of tokens) {
      // Signing in checks the requesting page before anything else.
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', origin };
      const body = ['GET', 'DELETE'].includes(method) ? null : '[]';
      const answer = await sendAny(
        origin,
        { method, target, headers, body } as Parameters<typeof sendAny>[1],
        ANSWER_MS,
      );
      if (answer.status !== 403) open.push(scope);
      else expect(answer.json().code).toBe('wrong_scope');
    }
    expect(open).toEqual(SCOPES.filter((scope) => scope === 'admin' || MAY_CALL[name]?.includes(scope)));
  });

  it.each(OPERATIONS)('stand in the description of $name', ({ name, operation }) => {
    if (operation.security) return expect(MAY_CALL[name]).toEqual(SCOPES);
    const [sentence] = operation.description.split('. ');
    const named = [...sentence!.matchAll(/`(\w+)`/g)].map(([, scope]) => scope);
    expect(named.sort()).toEqual([...new Set([...MAY_CALL[name]!, 'admin'])].sort());
  });
});

describe('A token of scope reader', () => {
  let reader: ApiClient;
  beforeAll(async () => {
    reader = server.api.as(await tokenOf('reader'));
  });

  it('reads and follows threads and approvals', async () => {
    const run = newRun();
    await record(server.api, waiting(run, 1));
    for (const path of [threadPath(run.threadId), threadPath(run.threadId, '/checkpoints'), latestPath(run.threadId)]) {
      expect(ok(await reader.get(path)).json()).toEqual(ok(await server.api.get(path)).json());
    }
    for (const path of [threadPath(run.threadId, '/stream'), '/approvals/stream']) {
      const stream = await EventStream.open(reader, path);
      expect(stream.response.statusCode).toBe(200);
      stream.close();
    }
  });

  it('changes nothing', async () => {
    const run = newRun();
    await record(server.api, waiting(run, 1));
    for (const refused of [
      await reader.post(EVENTS, { events: [waiting(run, 2)] }),
      await decide(reader, 'approve', run, 1),
      await reader.delete(threadPath(run.threadId)),
      await reader.post('/v1/tokens', { scope: 'reader' }),
    ]) {
      expect(problemOf(refused, 403).code).toBe('wrong_scope');
    }
    expect((await approvalOf(server.api, run, 1)).status).toBe('pending');
  });
});
