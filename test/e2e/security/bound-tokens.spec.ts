import {
  checkpoint,
  completed,
  conversation,
  failed,
  newThreadId,
  started,
  type RunnerEvent,
} from '../../factories/events.js';
import type { ApiClient } from '../../support/api-client.js';
import { problemOf } from '../../support/problem.js';
import { EVENTS, expectUnchangedBy, latestOf, latestPath, record } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';

const server = useServer();

/** A server as an agent sees it whose token is bound to `support`. */
async function bound(): Promise<ApiClient> {
  const made = await server.api.post('/v1/tokens', { scope: 'runner', agent_ids: ['support'] });
  return server.api.as(made.json<{ token: string }>().token);
}

async function expectRefused(api: ApiClient, event: RunnerEvent): Promise<void> {
  const good = checkpoint(newThreadId(), 0);
  const answer = await api.post(EVENTS, { events: [event, good] });
  expect([answer.status, answer.json()]).toEqual([
    207,
    { saved: 1, rejected: [expect.objectContaining({ index: 0, code: 'agent_not_allowed' })] },
  ]);
}

describe('A token that is bound to an agent', () => {
  it('reports for this agent, and for no other, not even for one without a name', async () => {
    const api = await bound();
    const [own, other] = [newThreadId(), newThreadId()];
    await record(api, started(own), checkpoint(own, 0), completed(own));
    await expectRefused(api, checkpoint(other, 0, { agent_id: 'research' }));
    await expectRefused(api, started(other, { agent_id: 'research' }));
    await expectRefused(api, { type: 'checkpoint', data: { thread_id: other } });
    problemOf(await server.api.get(latestPath(other)), 404);
  });

  it('reports and reads for the sub-agents of its agent, which bear its name', async () => {
    const api = await bound();
    const threadId = newThreadId();
    const sub = { trace_id: 'sub', agent_id: 'support:lookup', parent_trace_id: 'run-1' };
    await record(api, started(threadId), checkpoint(threadId, 0), started(threadId, sub), checkpoint(threadId, 0, sub));
    expect((await api.get(latestPath(threadId, { agent_id: 'support:lookup' }))).status).toBe(200);
    expect((await api.get(latestPath(threadId, { trace_id: 'sub' }))).status).toBe(200);
    await record(api, { type: 'heartbeat', data: { agent_id: 'support:lookup', endpoint: 'http://127.0.0.1:9/' } });
    await expectRefused(api, checkpoint(newThreadId(), 0, { agent_id: 'supporter' }));
  });

  it("cannot end, fail or change another agent's run by leaving the name out", async () => {
    const api = await bound();
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0, { agent_id: 'research' }));
    for (const event of [completed(threadId), failed(threadId), checkpoint(threadId, 0, { agent_id: 'support' })]) {
      const before = await latestOf(server.api, threadId);
      await api.post(EVENTS, { events: [event] });
      expect(await latestOf(server.api, threadId)).toEqual(before);
    }
    await expectUnchangedBy(server.api, threadId);
  });

  it('sends heartbeats for no other, so that no work of others is sent to it', async () => {
    const api = await bound();
    const heartbeat = (agent_id: string) => ({
      type: 'heartbeat',
      data: { agent_id, endpoint: 'http://127.0.0.1:9/', invoke_token: 'x' },
    });
    await record(api, heartbeat('support'));
    await expectRefused(api, heartbeat('research'));
    const { items } = (await server.api.get('/v1/agents')).json<{ items: { agent_id: string }[] }>();
    expect(items.map(({ agent_id }) => agent_id)).not.toContain('research');
    expect(items.map(({ agent_id }) => agent_id)).toContain('support');
  });

  it('reads only threads that its agent takes part in', async () => {
    const api = await bound();
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0, { agent_id: 'research' }));
    problemOf(await api.get(latestPath(threadId)), 404);
    problemOf(await api.get(latestPath(threadId, { wait: '1' })), 404);
    await record(server.api, started(threadId, { trace_id: 'sub', parent_trace_id: 'run-1' }));
    expect((await api.get(latestPath(threadId))).status).toBe(200);
  });

  it('sees of a thread that it joined unasked only what is its own', async () => {
    const api = await bound();
    const [threadId, secret] = [newThreadId(), conversation(2, ' a secret')];
    const others = { trace_id: 'theirs', agent_id: 'research' };
    await record(server.api, checkpoint(threadId, 0, { ...others, history: secret }));
    await record(api, started(threadId, { trace_id: 'mine' }));
    await record(server.api, checkpoint(threadId, 1, { ...others, history: secret }));
    const seen: Record<string, string>[] = [{}, { agent_id: 'support' }, { trace_id: 'mine' }];
    const hidden: Record<string, string>[] = [{ agent_id: 'research' }, { trace_id: 'theirs' }];
    for (const query of hidden) {
      problemOf(await api.get(latestPath(threadId, query)), 404);
    }
    for (const query of seen) {
      const answer = await api.get(latestPath(threadId, query));
      expect(answer.json()).toMatchObject({ trace_id: 'mine', agent_id: 'support' });
      expect(answer.text).not.toContain('a secret');
    }
    // To name a run of its own as the caller opens nothing.
    await record(api, started(threadId, { trace_id: 'mine too', parent_trace_id: 'mine' }));
    problemOf(await api.get(latestPath(threadId, { agent_id: 'research' })), 404);
  });

  it('sees the whole of a thread that it began', async () => {
    const api = await bound();
    const threadId = newThreadId();
    await record(api, checkpoint(threadId, 0, { trace_id: 'mine' }));
    await record(server.api, checkpoint(threadId, 0, { trace_id: 'theirs', agent_id: 'research' }));
    expect((await api.get(latestPath(threadId, { agent_id: 'research' }))).status).toBe(200);
  });
});
