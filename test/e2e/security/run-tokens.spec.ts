import { checkpoint, completed, newThreadId, started, type RunnerEvent } from '../../factories/events.js';
import type { ApiClient } from '../../support/api-client.js';
import { runCommand } from '../../support/command.js';
import { problemOf } from '../../support/problem.js';
import { checkpointsOf, EVENTS, latestOf, latestPath, record } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';

const server = useServer();

interface Minted {
  id: string;
  api: ApiClient;
  record: Record<string, unknown>;
}

/** A token created by `creator`. */
async function mint(creator: ApiClient, order: Record<string, unknown>): Promise<Minted> {
  const answer = await creator.post('/v1/tokens', { scope: 'runner', ...order });
  if (answer.status !== 201) throw new Error(`No token: ${answer.status} ${answer.text}`);
  const { token, ...fields } = answer.json();
  return { id: String(fields.id), api: server.api.as(String(token)), record: fields };
}

const runOf = (thread_id: string, trace_id = 'run-1') => ({ run: { thread_id, trace_id, fence: 7 } });

async function expectRefused(api: ApiClient, event: RunnerEvent, code = 'run_not_allowed'): Promise<void> {
  const answer = await api.post(EVENTS, { events: [event] });
  const { rejected } = problemOf(answer, 400) as unknown as { rejected: { code: string }[] };
  expect(rejected).toEqual([expect.objectContaining({ index: 0, code })]);
}

describe('A token that a runner token creates', () => {
  it('speaks for the same agents or fewer, and for no others', async () => {
    const parent = await mint(server.api, { agent_ids: ['support', 'billing'] });
    const same = await mint(parent.api, {});
    expect(same.record).toMatchObject({ scope: 'runner', agent_ids: ['support', 'billing'], parent_id: parent.id });
    const fewer = await mint(parent.api, { agent_ids: ['support:lookup'] });
    const threadId = newThreadId();
    await record(fewer.api, started(threadId, { agent_id: 'support:lookup' }));
    await expectRefused(fewer.api, started(threadId, { agent_id: 'support' }), 'agent_not_allowed');
    for (const agent_ids of [['research'], ['support', 'supporter']]) {
      const problem = problemOf(await parent.api.post('/v1/tokens', { scope: 'runner', agent_ids }), 403);
      expect(problem.code).toBe('agent_not_allowed');
    }
  });

  it('is of scope runner, ends with its parent at the latest, and creates none itself', async () => {
    const parent = await mint(server.api, { expires_in_seconds: 600 });
    for (const scope of ['admin', 'approver', 'reader', 'metrics']) {
      expect(problemOf(await parent.api.post('/v1/tokens', { scope }), 403).code).toBe('wrong_scope');
    }
    const endOf = async (order: object) => (await mint(parent.api, { ...order })).record.expires_at;
    expect(await endOf({})).toBe(parent.record.expires_at);
    expect(await endOf({ expires_in_seconds: 3600 })).toBe(parent.record.expires_at);
    expect(Date.parse(String(await endOf({ expires_in_seconds: 60 })))).toBeLessThan(Date.now() + 120_000);
    const { api } = await mint(parent.api, {});
    expect(problemOf(await api.post('/v1/tokens', { scope: 'runner' }), 403).code).toBe('wrong_scope');
    problemOf(await api.get('/v1/tokens'), 403);
  });

  it('is revoked with its parent, and by its parent; a parent revokes no other', async () => {
    const [parent, other] = [await mint(server.api, {}), await mint(server.api, {})];
    const [one, two] = [await mint(parent.api, {}), await mint(parent.api, {})];
    const isGood = async ({ api }: Minted) => (await api.get(latestPath(newThreadId()))).status === 404;
    problemOf(await other.api.delete(`/v1/tokens/${one.id}`), 404);
    problemOf(await parent.api.delete(`/v1/tokens/${other.id}`), 404);
    problemOf(await parent.api.delete(`/v1/tokens/${parent.id}`), 404);
    expect((await parent.api.delete(`/v1/tokens/${one.id}`)).status).toBe(204);
    expect([await isGood(one), await isGood(two), await isGood(other)]).toEqual([false, true, true]);
    expect((await server.api.delete(`/v1/tokens/${parent.id}`)).status).toBe(204);
    expect([await isGood(parent), await isGood(two), await isGood(other)]).toEqual([false, false, true]);
    const { items } = (await server.api.get('/v1/tokens?limit=200')).json<{ items: { id: string }[] }>();
    expect(items.map(({ id }) => id)).not.toContain(two.id);
  });

  it('is listed below its parent, with the run that it is for but not its fence', async () => {
    const parent = await mint(server.api, { name: 'the process' });
    const child = await mint(parent.api, { name: 'its program', ...runOf('listed', 'run-of-the-list') });
    const run = { thread_id: 'listed', trace_id: 'run-of-the-list' };
    const { items } = (await server.api.get('/v1/tokens?limit=200')).json<{ items: Record<string, unknown>[] }>();
    expect(items.find(({ id }) => id === child.id)).toMatchObject({ parent_id: parent.id, run });
    expect(items.find(({ id }) => id === parent.id)).toMatchObject({ parent_id: null, run: null });
    const env = { WAYSTATION_API_URL: server.api.baseUrl };
    const lines = (await runCommand(server.storage, ['token', 'list'], env)).stdout.split('\n');
    expect(lines[0]).toMatch(/^ID .* RUN$/);
    const at = lines.findIndex((line) => line.startsWith(parent.id));
    expect(lines[at + 1]).toMatch(new RegExp(`^  ${child.id} .* run-of-the-list$`));
  });
});

describe('A token of a run', () => {
  it('reports for that run, named or not, and for no other run or thread', async () => {
    const threadId = newThreadId();
    const { api } = await mint(server.api, { agent_ids: ['support'], ...runOf(threadId) });
    await record(
      server.api,
      started(threadId, { trace_id: 'before' }),
      checkpoint(threadId, 0, { trace_id: 'before' }),
    );
    await record(api, started(threadId), checkpoint(threadId, 0));
    await record(api, { type: 'checkpoint', data: { thread_id: threadId, agent_id: 'support', step_index: 1 } });
    await record(server.api, checkpoint(threadId, 1, { trace_id: 'before' }));
    await record(api, { type: 'log', data: { thread_id: threadId, agent_id: 'support', text: 'unnamed' } });
    await record(api, { type: 'thread_completed', data: { thread_id: threadId, agent_id: 'support' } });
    expect((await latestOf(server.api, threadId, { trace_id: 'run-1' })).status).toBe('completed');
    expect((await latestOf(server.api, threadId, { trace_id: 'before' })).status).toBe('in_progress');
    const before = (await checkpointsOf(server.api, threadId)).length;
    await expectRefused(api, checkpoint(threadId, 2, { trace_id: 'before' }));
    await expectRefused(api, completed(threadId, { trace_id: 'before' }));
    await expectRefused(api, started(threadId, { trace_id: 'another' }));
    await expectRefused(api, { type: 'log', data: { thread_id: threadId, trace_id: 'before', agent_id: 'support' } });
    await expectRefused(api, checkpoint(newThreadId(), 0));
    await expectRefused(api, checkpoint(threadId, 0, { agent_id: 'research' }), 'agent_not_allowed');
    expect(await checkpointsOf(server.api, threadId)).toHaveLength(before);
  });

  it('reports for runs below it, also when its own is not known yet, whatever they name later', async () => {
    const threadId = newThreadId();
    const { api } = await mint(server.api, { agent_ids: ['support'], ...runOf(threadId) });
    const sub = { trace_id: 'sub', agent_id: 'support:lookup' };
    const deep = { trace_id: 'deep', agent_id: 'support:lookup' };
    await record(api, started(threadId, { ...sub, parent_trace_id: 'run-1' }), checkpoint(threadId, 0, sub));
    await record(api, started(threadId));
    await record(api, started(threadId, { ...deep, parent_trace_id: 'sub' }));
    await record(api, checkpoint(threadId, 0, deep));
    await record(server.api, started(threadId, { trace_id: 'before', agent_id: 'support' }));
    await expectRefused(api, checkpoint(threadId, 0, { trace_id: 'before', parent_trace_id: 'run-1' }));
    const foreign = { trace_id: 'foreign', agent_id: 'support:lookup', parent_trace_id: 'before' };
    await expectRefused(api, started(threadId, foreign));
    await record(server.api, started(threadId, foreign));
    await expectRefused(api, checkpoint(threadId, 0, foreign));
    expect((await latestOf(server.api, threadId, { trace_id: 'deep' })).status).toBe('in_progress');
  });

  it('of a batch loses only what is of other runs, and what names none goes with the event before it', async () => {
    const threadId = newThreadId();
    const { api } = await mint(server.api, { ...runOf(threadId) });
    const sub = { trace_id: 'sub', agent_id: 'helper', parent_trace_id: 'run-1' };
    const unnamed = { type: 'checkpoint', data: { thread_id: threadId, step_index: 1, status: 'of the helper' } };
    const answer = await api.post(EVENTS, {
      events: [started(threadId), started(threadId, { trace_id: 'x' }), checkpoint(threadId, 0, sub), unnamed],
    });
    expect([answer.status, answer.json()]).toEqual([
      207,
      { saved: 3, rejected: [expect.objectContaining({ index: 1, code: 'run_not_allowed' })] },
    ]);
    expect((await latestOf(server.api, threadId, { trace_id: 'sub' })).status).toBe('of the helper');
  });

  it('still reads what its agents may read', async () => {
    const [own, other] = [newThreadId(), newThreadId()];
    await record(server.api, checkpoint(other, 0));
    const { api } = await mint(server.api, { agent_ids: ['support'], ...runOf(own) });
    expect((await api.get(latestPath(other))).status).toBe(200);
  });
});
