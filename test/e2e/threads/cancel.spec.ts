import { WaystationClient, NoDecisionError } from '../../../src/client/waystation-client.js';
import { checkpoint, completed, failed, newThreadId, started, type RunnerEvent } from '../../factories/events.js';
import { newRun, waiting, working } from '../../factories/waiting.js';
import { approvalOf, decide } from '../../support/approvals.js';
import { cancel } from '../../support/cancel.js';
import { EventStream } from '../../support/event-stream.js';
import {
  checkpointsOf,
  detailOf,
  EVENTS,
  latestOf,
  listOf,
  outline,
  record,
  threadPath,
} from '../../support/recording.js';
import { useSharedServer } from '../../support/shared-server.js';
import { waitFor } from '../../support/wait.js';

const server = useSharedServer();

const CANCEL = (threadId: string, traceId = 'run-1') => ({ thread_id: threadId, trace_id: traceId, action: 'cancel' });

/** Reports for a cancelled run, which are accepted; the response says to stop. */
async function reportLate(threadId: string, events: RunnerEvent[], traceId = 'run-1'): Promise<void> {
  const answer = await server.api.post(EVENTS, { events });
  expect([answer.status, answer.json()]).toEqual([
    200,
    { saved: events.length, rejected: [], control: [CANCEL(threadId, traceId)] },
  ]);
}

async function runsOf(threadId: string): Promise<string[]> {
  const { run_list: runs } = (await detailOf(server.api, threadId)) as { run_list: Record<string, string>[] };
  return runs.map(({ trace_id, status }) => `${trace_id} ${status}`);
}

const sub = (threadId: string, traceId: string, parent: string, step = 0) =>
  checkpoint(threadId, step, { trace_id: traceId, parent_trace_id: parent, agent_id: 'researcher' });

describe('Cancelling a run', () => {
  it('ends it for every reader, and nobody can decide on its tool calls any more', async () => {
    const run = newRun('cancel');
    await record(server.api, working(run, 0), waiting(run, 1));
    const stream = await EventStream.open(server.api, threadPath(run.threadId, '/stream'));
    const answer = await cancel(server.api, run.threadId, run.traceId);
    expect([answer.status, answer.json()]).toEqual([
      200,
      {
        thread_id: run.threadId,
        trace_id: run.traceId,
        agent_id: 'support',
        status: 'cancelled',
        cancelled_at: expect.any(String),
      },
    ]);
    expect(await latestOf(server.api, run.threadId)).toMatchObject({
      status: 'cancelled',
      approval: { status: 'superseded' },
    });
    expect(await approvalOf(server.api, run, 1)).toMatchObject({
      status: 'superseded',
      decided_through: 'run_cancelled',
    });
    expect((await decide(server.api, 'approve', run, 1)).status).toBe(409);
    const { items } = await listOf(server.api, { q: run.threadId, status: 'cancelled' });
    expect(items).toEqual([expect.objectContaining({ thread_id: run.threadId, pending_approvals: 0 })]);
    const detail = await detailOf(server.api, run.threadId);
    expect(detail.logs).toContainEqual(expect.objectContaining({ level: 'warn', message: 'The run was cancelled' }));
    await stream.until('the new status', ({ seen }) =>
      seen.some(({ event, data }) => event === 'status' && JSON.parse(data).status === 'cancelled'),
    );
    stream.close();
  });

  it('twice gets the same answer and changes nothing the second time', async () => {
    const threadId = newThreadId();
    await record(server.api, started(threadId));
    const first = (await cancel(server.api, threadId)).json();
    const detail = await detailOf(server.api, threadId);
    const second = await cancel(server.api, threadId);
    expect([second.status, second.json()]).toEqual([200, first]);
    expect(await detailOf(server.api, threadId)).toEqual(detail);
  });

  it('that has ended otherwise is a conflict, and one that nobody knows is not found', async () => {
    const threadId = newThreadId();
    await record(server.api, started(threadId), completed(threadId));
    expect((await cancel(server.api, threadId)).json()).toMatchObject({ status: 409, code: 'run_ended' });
    expect((await cancel(server.api, threadId, 'another')).json()).toMatchObject({
      status: 404,
      code: 'run_not_found',
    });
    expect((await cancel(server.api, newThreadId())).json()).toMatchObject({
      ...{ status: 404, code: 'thread_not_found' },
      detail: 'There is no such thread. A run is known once its agent has reported it.',
    });
    expect((await latestOf(server.api, threadId)).status).toBe('completed');
  });

  it('takes only an admin', async () => {
    const threadId = newThreadId();
    await record(server.api, started(threadId));
    for (const scope of ['runner', 'approver']) {
      const { token } = (await server.api.post('/v1/tokens', { scope, name: scope })).json();
      expect((await cancel(server.api.as(String(token)), threadId)).status).toBe(403);
    }
    expect((await latestOf(server.api, threadId)).status).toBe('in_progress');
  });

  it('cancels the open runs below it, and none beside or above it', async () => {
    const threadId = newThreadId();
    await record(
      server.api,
      checkpoint(threadId, 0, { trace_id: 'top' }),
      sub(threadId, 'a', 'top'),
      sub(threadId, 'b', 'a'),
    );
    await record(server.api, sub(threadId, 'done', 'top'), completed(threadId, { trace_id: 'done' }));
    await record(server.api, checkpoint(threadId, 0, { trace_id: 'beside' }));
    expect((await cancel(server.api, threadId, 'a')).status).toBe(200);
    const rest = ['done completed', 'beside in_progress'];
    expect(await runsOf(threadId)).toEqual(['top in_progress', 'a cancelled', 'b cancelled', ...rest]);
    expect((await cancel(server.api, threadId, 'top')).status).toBe(200);
    expect(await runsOf(threadId)).toEqual(['top cancelled', 'a cancelled', 'b cancelled', ...rest]);
  });
});

describe('A cancelled run', () => {
  it('keeps what its program still reports, and stays cancelled', async () => {
    const threadId = newThreadId();
    await record(server.api, started(threadId), checkpoint(threadId, 0));
    await cancel(server.api, threadId);
    await reportLate(threadId, [checkpoint(threadId, 1)]);
    await reportLate(threadId, [
      checkpoint(threadId, 2, { status: 'waiting_for_approval', pending_tool_calls: [{ name: 'x', input: {} }] }),
    ]);
    for (const end of [completed(threadId), failed(threadId), { ...completed(threadId), id: 'e-1' }]) {
      await reportLate(threadId, [end]);
    }
    const rows = outline(await checkpointsOf(server.api, threadId));
    expect(rows).toEqual(['run-1/0 cancelled', 'run-1/1 cancelled', 'run-1/2 cancelled']);
    expect(await latestOf(server.api, threadId)).toMatchObject({ status: 'cancelled', step_index: 2, error: null });
    expect((await listOf(server.api, { q: threadId })).items[0]).toMatchObject({ pending_approvals: 0 });
  });

  it('goes on once it is started again, or with the next turn', async () => {
    const threadId = newThreadId();
    await record(server.api, started(threadId), checkpoint(threadId, 0));
    await cancel(server.api, threadId);
    await record(server.api, started(threadId));
    expect((await latestOf(server.api, threadId)).status).toBe('in_progress');
    await record(server.api, checkpoint(threadId, 1), completed(threadId));
    expect((await latestOf(server.api, threadId)).status).toBe('completed');

    const other = newThreadId();
    await record(server.api, started(other), checkpoint(other, 0));
    await cancel(server.api, other);
    await record(server.api, checkpoint(other, 1, { turn_start_history_len: 2 }));
    expect((await latestOf(server.api, other)).status).toBe('in_progress');
  });

  it('ends no other run by an ending without a trace, but for the next one', async () => {
    const threadId = newThreadId();
    const end = (fields: object) => ({ type: 'thread_completed', data: { thread_id: threadId, ...fields } });
    await record(server.api, checkpoint(threadId, 0, { trace_id: 'top' }), sub(threadId, 'a', 'top'));
    await cancel(server.api, threadId, 'a');
    await reportLate(threadId, [end({ tokens_used: 1 })], 'a');
    expect(await runsOf(threadId)).toEqual(['top in_progress', 'a cancelled']);
    await record(server.api, end({ tokens_used: 2 }));
    expect(await runsOf(threadId)).toEqual(['top completed', 'a cancelled']);
  });

  it('is named also to who reports a new run below it, and to nobody who may not know it', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0));
    await cancel(server.api, threadId);
    const below = await server.api.post(EVENTS, { events: [sub(threadId, 'late', 'run-1')] });
    expect(below.json().control).toEqual([CANCEL(threadId)]);
    const order = { scope: 'runner', name: 'r', agent_ids: ['researcher'] };
    const { token } = (await server.api.post('/v1/tokens', order)).json();
    const bound = await server.api.as(String(token)).post(EVENTS, { events: [sub(threadId, 'bound', 'run-1')] });
    expect(bound.json()).toEqual({ saved: 1, rejected: [] });
  });

  it('is told to the client that reports it, once for each start', async () => {
    const told: unknown[] = [];
    const { baseUrl: apiUrl, token } = server.api;
    const client = new WaystationClient({ apiUrl, token, agentId: 'support', onCancel: (run) => told.push(run) });
    const threadId = newThreadId();
    const run = await client.start({ thread_id: threadId, trace_id: 'run-1' });
    const asked = { ...run, step_index: 0, history: [], pending_tool_calls: [{ name: 'x', input: {} }] };
    await client.checkpoint({ ...asked, status: 'waiting_for_approval' });
    const decision = client.waitForApproval(run).catch((error: unknown) => error);
    await waitFor('the tool call', async () => (await client.latest(threadId))?.status === 'waiting_for_approval');
    await cancel(server.api, threadId);
    expect(await decision).toBeInstanceOf(NoDecisionError);
    for (const step_index of [1, 2]) await client.checkpoint({ ...run, step_index, history: [] });
    await client.flush();
    expect(told).toEqual([{ thread_id: threadId, trace_id: 'run-1' }]);
    await client.start({ thread_id: threadId, trace_id: 'run-1' });
    await client.flush();
    await cancel(server.api, threadId);
    await client.checkpoint({ ...run, step_index: 3, history: [] });
    await client.close();
    expect(told).toHaveLength(2);
  });
});

describe('Watching a run without its messages', () => {
  it('gets empty lists and their length, and waits as ever', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 1));
    const path = `/v1/runners/threads/${threadId}/latest?history=none`;
    const first = await server.api.get(path);
    expect(first.json()).toMatchObject({ history: [], history_meta: [], history_length: 4, status: 'in_progress' });
    const headers = { 'if-none-match': String(first.headers.etag) };
    const next = server.api.get(`${path}&wait=60`, { headers });
    await cancel(server.api, threadId);
    expect((await next).json()).toMatchObject({ status: 'cancelled' });
    expect((await server.api.get(`${path}x`)).status).toBe(400);
  });

  it('keeps the reason that somebody gave, shows it, and tells the program', async () => {
    const threadId = newThreadId('why');
    const reason = 'It asks the "wrong" customer\n9007199254740993';
    await record(server.api, checkpoint(threadId, 0), sub(threadId, 'sub', 'run-1'));
    const path = threadPath(threadId, '/runs/run-1/cancel');
    expect((await server.api.post(path, { reason: ` ${reason} ` })).status).toBe(200);
    // The first reason stays.
    expect((await server.api.post(path, { reason: 'another' })).status).toBe(200);
    const { run_list: runs, logs } = (await detailOf(server.api, threadId)) as {
      run_list: Record<string, unknown>[];
      logs: { message: string }[];
    };
    expect(runs.map(({ cancel_reason }) => cancel_reason)).toEqual([reason, reason]);
    expect(runs.map(({ cancelled_with }) => cancelled_with)).toEqual([undefined, 'run-1']);
    expect(logs.map(({ message }) => message)).toContain(`The run was cancelled: ${reason}`);
    const late = await server.api.post(EVENTS, { events: [checkpoint(threadId, 1)] });
    expect(late.json()).toMatchObject({ control: [{ ...CANCEL(threadId), reason }] });
  });

  it.each([[{ reason: 5 }], [{ reason: 'x'.repeat(4001) }], [{ reason: '\u0000' }], [{ why: 'x' }]])(
    'refuses %j as a reason',
    async (body) => {
      const threadId = newThreadId('refused');
      await record(server.api, checkpoint(threadId, 0));
      expect((await server.api.post(threadPath(threadId, '/runs/run-1/cancel'), body)).status).toBe(400);
      expect(await runsOf(threadId)).toEqual(['run-1 in_progress']);
    },
  );
});
