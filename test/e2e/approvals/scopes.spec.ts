import { newRun, waiting } from '../../factories/waiting.js';
import type { ApiClient } from '../../support/api-client.js';
import { approvalOf, approvalPath, decide, decided, pendingCountOf } from '../../support/approvals.js';
import { EventStream } from '../../support/event-stream.js';
import { problemOf } from '../../support/problem.js';
import { EVENTS, latestPath, record, threadPath } from '../../support/recording.js';
import { useSharedServer } from '../../support/shared-server.js';

const server = useSharedServer();

async function tokenOf(scope: string): Promise<{ id: string; token: string }> {
  return (await server.api.post('/v1/tokens', { scope, name: `an ${scope}` })).json<{ id: string; token: string }>();
}

describe('A token of scope approver', () => {
  let approver: ApiClient;
  beforeAll(async () => {
    approver = server.api.as((await tokenOf('approver')).token);
  });

  it('reads, follows and decides approvals', async () => {
    const run = newRun();
    await record(server.api, waiting(run, 1));
    expect((await approver.get('/approvals')).status).toBe(200);
    expect((await approver.get(approvalPath(run.traceId, 1))).status).toBe(200);
    const stream = await EventStream.open(approver, '/approvals/stream');
    expect(stream.response.statusCode).toBe(200);
    stream.close();
    expect(await decided(approver, 'approve', run, 1)).toMatchObject({ decided_through: 'an approver' });
  });

  it('does nothing else', async () => {
    const run = newRun();
    await record(server.api, waiting(run, 1));
    const refused = [
      await approver.get('/threads'),
      await approver.get(threadPath(run.threadId)),
      await approver.get(threadPath(run.threadId, '/checkpoints')),
      await approver.get(threadPath(run.threadId, '/stream')),
      await approver.delete(threadPath(run.threadId)),
      await approver.get(latestPath(run.threadId)),
      await approver.post(EVENTS, { events: [waiting(run, 2)] }),
      await approver.post(`/internal${EVENTS}`, { events: [waiting(run, 2)] }),
      await approver.get('/v1/tokens'),
      await approver.post('/v1/tokens', { scope: 'admin' }),
    ];
    for (const answer of refused) expect(problemOf(answer, 403).code).toBe('wrong_scope');
    expect(await pendingCountOf(server.api, run.threadId)).toBe(1);
  });

  it('is worth nothing once it is revoked', async () => {
    const run = newRun();
    await record(server.api, waiting(run, 1));
    const { id, token } = await tokenOf('approver');
    expect((await server.api.as(token).get('/approvals')).status).toBe(200);
    expect((await server.api.delete(`/v1/tokens/${id}`)).status).toBe(204);
    problemOf(await decide(server.api.as(token), 'approve', run, 1), 401);
    expect((await approvalOf(server.api, run, 1)).status).toBe('pending');
  });
});

describe('A token of scope runner', () => {
  it('reports tool calls and waits for the decision, but neither sees nor decides approvals', async () => {
    const run = newRun();
    const runner = server.api.as((await tokenOf('runner')).token);
    await record(runner, waiting(run, 1));
    for (const answer of [
      await runner.get('/approvals'),
      await runner.get('/approvals/stream'),
      await runner.get(approvalPath(run.traceId, 1)),
      await decide(runner, 'approve', run, 1),
      await decide(runner, 'reject', run, 1, { decided_by: 'myself' }),
      await decide(runner, 'approve', newRun(), 1),
    ]) {
      expect(problemOf(answer, 403).code).toBe('wrong_scope');
    }
    expect((await approvalOf(server.api, run, 1)).status).toBe('pending');
    await decided(server.api, 'approve', run, 1);
    expect((await runner.get(latestPath(run.threadId))).json()).toMatchObject({ status: 'approved' });
  });

  it('cannot report a decision of its own', async () => {
    const run = newRun();
    const runner = server.api.as((await tokenOf('runner')).token);
    await record(runner, waiting(run, 1, { approval: { status: 'approved' }, updated_at: '2020-01-01T00:00:00.000Z' }));
    expect((await runner.get(latestPath(run.threadId))).json()).toMatchObject({ approval: null });
    expect((await approvalOf(server.api, run, 1)).status).toBe('pending');
  });
});
