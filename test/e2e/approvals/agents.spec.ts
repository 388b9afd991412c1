import { completed, conversation, metaOf, newThreadId, started } from '../../factories/events.js';
import { MAIL, newRun, REFUND, waiting, working, type RunIds } from '../../factories/waiting.js';
import { approvalOf, approvalsOf, decide, decided, pendingCountOf, statusesOf } from '../../support/approvals.js';
import { checkpointsOf, latestOf, latestPath, record } from '../../support/recording.js';
import { pulseOf } from '../../support/pulse.js';
import { useSharedServer } from '../../support/shared-server.js';
import { waitFor } from '../../support/wait.js';

const server = useSharedServer();

/** Polls `latest` until somebody has decided, as existing agents do. */
function polled(threadId: string, query: Record<string, string> = {}): Promise<string> {
  return waitFor('a decision', async () => {
    const { status } = await latestOf(server.api, threadId, query);
    return status === 'approved' || status === 'rejected' ? status : undefined;
  });
}

async function isWaiting(run: RunIds, step = 1): Promise<void> {
  await record(server.api, started(run.threadId, { trace_id: run.traceId }), working(run, 0));
  await record(server.api, waiting(run, step));
}

describe('An agent that waits for a person', () => {
  it('is listed with its tool, its arguments and nothing decided', async () => {
    const run = newRun();
    await isWaiting(run);
    const [approval, ...others] = await approvalsOf(server.api, run.threadId);
    expect(others).toEqual([]);
    expect(approval).toEqual({
      trace_id: run.traceId,
      step: 1,
      thread_id: run.threadId,
      agent_id: 'support',
      parent_trace_id: null,
      kind: 'approval',
      status: 'pending',
      tool_calls: [
        {
          index: 0,
          id: 'call-issue_refund',
          name: 'issue_refund',
          args: { order: 4711, cents: 1999 },
          decision: null,
          edited_args: null,
          raw: REFUND,
        },
      ],
      digest: expect.stringMatching(/^[\w-]{22}$/),
      approval_features: [],
      attempt: 1,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      expires_at: null,
      reminded: 0,
      rule_id: null,
      decided_at: null,
      decided_by: null,
      decided_through: null,
      reason: null,
    });
    expect(await approvalOf(server.api, run, 1)).toEqual(approval);
  });

  it.each([
    ['approve', 'approved'],
    ['reject', 'rejected'],
  ] as const)('polls until it is told to go on: %s', async (verb, status) => {
    const run = newRun();
    await isWaiting(run);
    const before = await latestOf(server.api, run.threadId);
    expect(before).toMatchObject({ status: 'waiting_for_approval', pending_tool_calls: [REFUND], approval: null });
    const polling = polled(run.threadId);
    expect(await decided(server.api, verb, run, 1)).toMatchObject({ status });
    expect(await polling).toBe(status);
    const after = await latestOf(server.api, run.threadId);
    expect(after).toEqual({
      ...before,
      status,
      pending_tool_calls: [],
      updated_at: expect.any(String),
      approval: {
        status,
        digest: expect.any(String),
        tool_calls: [expect.objectContaining({ index: 0, decision: verb, edited_args: null, raw: REFUND })],
        decided_at: expect.any(String),
        decided_by: null,
        reason: null,
      },
    });
    expect(await pendingCountOf(server.api, run.threadId)).toBe(0);
  });

  it('goes on after the decision, at the next step or at the same one', async () => {
    for (const step of [1, 2]) {
      const run = newRun();
      await isWaiting(run);
      await decided(server.api, 'approve', run, 1);
      await record(server.api, working(run, step), working(run, step + 1));
      await record(server.api, completed(run.threadId, { trace_id: run.traceId }));
      expect(await statusesOf(server.api, run.threadId)).toEqual(['1 approved']);
      expect((await latestOf(server.api, run.threadId)).status).toBe('completed');
    }
  });

  it('needs no status of that name: tool calls that wait are enough', async () => {
    const run = newRun();
    await record(server.api, working(run, 0, { pending_tool_calls: [MAIL] }));
    await decided(server.api, 'reject', run, 0);
    expect(await polled(run.threadId)).toBe('rejected');
  });

  it('with an empty history and meta for more keeps both, and resumes from the history before', async () => {
    const run = newRun();
    await isWaiting(run);
    await decided(server.api, 'approve', run, 1);
    const meta = metaOf(conversation(4));
    expect(await latestOf(server.api, run.threadId, { resume: 'false' })).toMatchObject({
      history: [],
      history_meta: meta,
    });
    expect(await latestOf(server.api, run.threadId)).toMatchObject({
      status: 'approved',
      history: conversation(2),
      approval: { status: 'approved' },
    });
  });

  it('in its parent’s thread is asked for by its trace, beside another that waits there', async () => {
    const parent = newRun();
    const subs = ['researcher', 'writer'].map((agent) => ({ ...newRun(), threadId: parent.threadId, agent }));
    await record(server.api, started(parent.threadId, { trace_id: parent.traceId }), working(parent, 0));
    for (const sub of subs) {
      const own = { agent_id: sub.agent, parent_trace_id: parent.traceId };
      await record(server.api, started(sub.threadId, { ...own, trace_id: sub.traceId }), waiting(sub, 0, own));
    }
    expect(await pendingCountOf(server.api, parent.threadId)).toBe(2);
    const [first, second] = [subs[0]!, subs[1]!];
    await decided(server.api, 'approve', second, 0);
    expect(await polled(parent.threadId, { trace_id: second.traceId })).toBe('approved');
    const other = await latestOf(server.api, parent.threadId, { trace_id: first.traceId });
    expect(other).toMatchObject({ status: 'waiting_for_approval', parent_trace_id: parent.traceId });
    expect(await latestOf(server.api, parent.threadId)).toMatchObject({ trace_id: second.traceId });
    await decided(server.api, 'reject', first, 0);
    expect(await polled(parent.threadId, { trace_id: first.traceId })).toBe('rejected');
    expect(await latestOf(server.api, parent.threadId)).toMatchObject({ trace_id: first.traceId });
    expect((await approvalOf(server.api, first, 0)).parent_trace_id).toBe(parent.traceId);
    await record(server.api, working(parent, 1));
    expect(await latestOf(server.api, parent.threadId)).toMatchObject({ trace_id: parent.traceId, step_index: 1 });
  });

  it('with one trace for many turns waits again in each, and no turn takes another’s decision', async () => {
    const run = newRun();
    for (let turn = 0; turn < 3; turn++) {
      const own = { turn_start_history_len: 4 * turn };
      const history = conversation(4 * turn + 2);
      await record(server.api, started(run.threadId, { trace_id: run.traceId }));
      await record(server.api, working(run, 0, { ...own, history }));
      await record(server.api, waiting(run, 1, { ...own, history_meta: metaOf(conversation(4 * turn + 4)) }));
      expect(await pendingCountOf(server.api, run.threadId)).toBe(1);
      const { digest, attempt } = await approvalOf(server.api, run, 1);
      expect(attempt).toBe(turn + 1);
      await decided(server.api, turn === 1 ? 'reject' : 'approve', run, 1, { digest });
      expect(await polled(run.threadId)).toBe(turn === 1 ? 'rejected' : 'approved');
      await record(server.api, working(run, 2, { ...own, history: conversation(4 * turn + 4) }));
      await record(server.api, completed(run.threadId, { trace_id: run.traceId, tokens_used: turn }));
    }
    expect(await statusesOf(server.api, run.threadId)).toEqual(['1 approved', '1 rejected', '1 approved']);
    expect(await checkpointsOf(server.api, run.threadId)).toHaveLength(9);
  });
});

describe('An agent that holds its request', () => {
  it('is answered within a second of the decision', async () => {
    let late = 0;
    for (let round = 0; round < 3; round++) {
      const run = newRun();
      await isWaiting(run);
      const { etag } = (await server.api.get(latestPath(run.threadId))).headers;
      const held = server.api
        .get(latestPath(run.threadId, { wait: '30', trace_id: run.traceId }), {
          headers: { 'if-none-match': String(etag) },
        })
        .then((answer) => ({ answer, atMs: Date.now() }));
      await decided(server.api, 'approve', run, 1);
      const decidedAtMs = Date.now();
      const [pulseMs, { answer, atMs }] = await Promise.all([pulseOf(server.api), held]);
      if (atMs - decidedAtMs >= 1000 + 5 * pulseMs) late += 1;
      expect(answer.json()).toMatchObject({ status: 'approved', approval: { status: 'approved' } });
      expect(answer.headers.etag).not.toBe(etag);
    }
    // One may coincide with a pause of the machine.
    expect(late).toBeLessThanOrEqual(1);
  });

  it('is not woken for nothing by a decision that was refused', async () => {
    const run = newRun();
    await isWaiting(run);
    const { etag } = (await server.api.get(latestPath(run.threadId))).headers;
    const held = server.api.get(latestPath(run.threadId, { wait: '0.5' }), {
      headers: { 'if-none-match': String(etag) },
    });
    expect((await decide(server.api, 'approve', run, 1, { digest: 'another' })).status).toBe(409);
    expect((await held).status).toBe(304);
  });

  it('finds the decision that was taken before it asked', async () => {
    const run = newRun();
    await isWaiting(run);
    const { etag } = (await server.api.get(latestPath(run.threadId))).headers;
    await decided(server.api, 'reject', run, 1);
    const answer = await server.api.get(latestPath(run.threadId, { wait: '30' }), {
      headers: { 'if-none-match': String(etag) },
    });
    expect(answer.json()).toMatchObject({ status: 'rejected' });
  });

  it('in a thread of many runs is woken by its own alone, others again and again', async () => {
    const threadId = newThreadId();
    const runs = Array.from({ length: 5 }, () => ({ ...newRun(), threadId }));
    for (const run of runs) {
      await record(server.api, waiting(run, 0, { agent_id: run.traceId, parent_trace_id: 'root' }));
    }
    const held = runs.map((run) =>
      server.api.get(latestPath(threadId, { wait: '30', trace_id: run.traceId })).then((answer) => answer.json()),
    );
    for (const [index, run] of runs.entries()) {
      await decided(server.api, index % 2 === 0 ? 'approve' : 'reject', run, 0);
      expect(await held[index]).toMatchObject({
        trace_id: run.traceId,
        status: index % 2 === 0 ? 'approved' : 'rejected',
      });
    }
  });
});
