import { completed, newThreadId, started } from '../../factories/events.js';
import { MAIL, newRun, waiting, working, type RunIds } from '../../factories/waiting.js';
import {
  approvalOf,
  approvalsOf,
  decide,
  decided,
  pendingCountOf,
  statusesOf,
  type Approval,
} from '../../support/approvals.js';
import { problemOf } from '../../support/problem.js';
import { latestOf, record } from '../../support/recording.js';
import { useSharedServer } from '../../support/shared-server.js';

const server = useSharedServer();

/** The same trace in another thread. */
function twin(run: RunIds): RunIds {
  return { ...run, threadId: newThreadId() };
}

function listed(problem: object): unknown[] {
  const { approvals } = problem as { approvals: Approval[] };
  return approvals.map(({ thread_id, attempt, digest, status }) => [thread_id, attempt, digest, status]);
}

describe('An address that means more than one approval', () => {
  it('in two threads asks which, and is told by digest or by thread', async () => {
    const one = newRun();
    const other = twin(one);
    await record(server.api, waiting(one, 1), waiting(other, 1, { pending_tool_calls: [MAIL] }));
    const [first, second] = [
      await approvalOf(server.api, one, 1, { thread_id: one.threadId }),
      await approvalOf(server.api, one, 1, { thread_id: other.threadId }),
    ];
    for (const verb of ['approve', 'reject'] as const) {
      const problem = problemOf(await decide(server.api, verb, one, 1), 409);
      expect(problem.code).toBe('ambiguous_approval');
      expect(listed(problem).sort()).toEqual(
        [first, second].map(({ thread_id, digest }) => [thread_id, 1, digest, 'pending']).sort(),
      );
    }
    expect(await decided(server.api, 'approve', one, 1, { digest: second.digest })).toMatchObject({
      thread_id: other.threadId,
      status: 'approved',
    });
    expect((await latestOf(server.api, one.threadId)).status).toBe('waiting_for_approval');
    const query = { thread_id: one.threadId };
    expect(await decided(server.api, 'reject', one, 1, {}, query)).toMatchObject({ ...query, status: 'rejected' });
  });

  it('in two threads with the same calls is told by thread alone', async () => {
    const one = newRun();
    const other = twin(one);
    await record(server.api, waiting(one, 1), waiting(other, 1));
    const { digest } = await approvalOf(server.api, one, 1);
    expect(problemOf(await decide(server.api, 'approve', one, 1, { digest }), 409).code).toBe('ambiguous_approval');
    await decided(server.api, 'approve', one, 1, { digest }, { thread_id: other.threadId });
    expect((await latestOf(server.api, other.threadId)).status).toBe('approved');
    expect((await latestOf(server.api, one.threadId)).status).toBe('waiting_for_approval');
  });

  it('still asks when the other one was decided long ago', async () => {
    const one = newRun();
    const other = twin(one);
    await record(server.api, waiting(one, 1));
    await decided(server.api, 'approve', one, 1);
    await record(server.api, waiting(other, 1, { pending_tool_calls: [MAIL] }));
    expect(listed(problemOf(await decide(server.api, 'approve', one, 1), 409))).toHaveLength(2);
    const { digest } = await approvalOf(server.api, one, 1);
    expect((await decided(server.api, 'approve', one, 1, { digest })).thread_id).toBe(other.threadId);
  });

  it('among very many finds the one meant', async () => {
    const runs = Array.from({ length: 150 }, (_, n) => ({ traceId: 'everywhere', threadId: newThreadId(`of-${n}`) }));
    await record(server.api, ...runs.map((run, n) => waiting(run, 1, { pending_tool_calls: [{ name: `tool-${n}` }] })));
    const [first] = runs as [RunIds];
    const { digest } = await approvalOf(server.api, first, 1, { thread_id: first.threadId });
    expect(await decided(server.api, 'reject', first, 1, { digest })).toMatchObject({ thread_id: first.threadId });
    const middle = { thread_id: runs[75]!.threadId };
    expect(await decided(server.api, 'approve', first, 1, {}, middle)).toMatchObject(middle);
    expect(problemOf(await decide(server.api, 'approve', first, 1), 409).code).toBe('ambiguous_approval');
  });
});

describe('Changed calls', () => {
  it('are a new approval, and nobody approves the ones that they did not see', async () => {
    const run = newRun();
    await record(server.api, waiting(run, 1));
    const { digest: seen } = await approvalOf(server.api, run, 1);
    await record(server.api, waiting(run, 1, { pending_tool_calls: [MAIL] }));
    expect(await statusesOf(server.api, run.threadId)).toEqual(['1 superseded', '1 pending']);
    const { digest } = await approvalOf(server.api, run, 1);
    expect(digest).not.toBe(seen);
    const stale = problemOf(await decide(server.api, 'approve', run, 1, { digest: seen }), 409);
    expect(stale).toMatchObject({ code: 'approval_closed', approval: { status: 'superseded' } });
    expect(listed(problemOf(await decide(server.api, 'approve', run, 1), 409))).toEqual([
      [run.threadId, 1, digest, 'pending'],
      [run.threadId, 1, seen, 'superseded'],
    ]);
    await decided(server.api, 'approve', run, 1, { digest });
    expect(await statusesOf(server.api, run.threadId)).toEqual(['1 superseded', '1 approved']);
  });

  it('that change back are the first approval again, open from then on', async () => {
    const run = newRun();
    await record(server.api, waiting(run, 1), waiting(run, 1, { pending_tool_calls: [MAIL] }));
    await record(server.api, waiting(run, 1, { tokens_used: 7 }));
    expect(await statusesOf(server.api, run.threadId)).toEqual(['1 superseded', '1 pending']);
    expect(await approvalOf(server.api, run, 1)).toMatchObject({
      status: 'pending',
      decided_through: null,
      tool_calls: [{ name: 'issue_refund' }],
    });
    expect(await pendingCountOf(server.api, run.threadId)).toBe(1);
  });

  it('do not bring a decision back to life that was taken before them', async () => {
    const run = newRun();
    await record(server.api, waiting(run, 1));
    await decided(server.api, 'reject', run, 1);
    await record(server.api, waiting(run, 1, { pending_tool_calls: [MAIL] }));
    expect(await statusesOf(server.api, run.threadId)).toEqual(['1 rejected', '1 pending']);
    await record(server.api, waiting(run, 1, { tokens_used: 7 }));
    expect(await statusesOf(server.api, run.threadId)).toEqual(['1 rejected', '1 superseded']);
    expect(await latestOf(server.api, run.threadId)).toMatchObject({ status: 'rejected', pending_tool_calls: [] });
    expect(await pendingCountOf(server.api, run.threadId)).toBe(0);
  });
});

describe('A new attempt', () => {
  it('at the same step is a new approval, although the calls are the same', async () => {
    const run = newRun();
    await record(server.api, started(run.threadId, { trace_id: run.traceId }), working(run, 0), waiting(run, 1));
    await decided(server.api, 'approve', run, 1);
    await record(server.api, started(run.threadId, { trace_id: run.traceId }));
    await record(server.api, working(run, 0, { tokens_used: 1 }), waiting(run, 1, { tokens_used: 2 }));
    expect(await latestOf(server.api, run.threadId)).toMatchObject({ status: 'waiting_for_approval', approval: null });
    const [before, now] = await approvalsOf(server.api, run.threadId, { status: 'all' });
    expect([before, now]).toMatchObject([
      { attempt: 1, status: 'approved' },
      { attempt: 2, status: 'pending', digest: before!.digest },
    ]);
    expect(problemOf(await decide(server.api, 'reject', run, 1), 409).code).toBe('ambiguous_approval');
    const second = await decided(server.api, 'reject', run, 1, { digest: now!.digest });
    expect(second).toMatchObject({ attempt: 2, status: 'rejected' });
    expect(await statusesOf(server.api, run.threadId)).toEqual(['1 approved', '1 rejected']);
  });

  it('supersedes what the one before left open', async () => {
    const run = newRun();
    await record(server.api, working(run, 0), waiting(run, 1));
    await record(server.api, started(run.threadId, { trace_id: run.traceId }), working(run, 0, { tokens_used: 1 }));
    const [approval] = await approvalsOf(server.api, run.threadId, { status: 'all' });
    expect(approval).toMatchObject({ status: 'superseded', decided_through: 'new_attempt' });
    expect(problemOf(await decide(server.api, 'approve', run, 1), 409).code).toBe('approval_closed');
    expect(await latestOf(server.api, run.threadId)).toMatchObject({ step_index: 0, status: 'in_progress' });
  });
});

describe('What nobody can act on any more', () => {
  const end = (run: RunIds, type = 'thread_completed') => ({
    type,
    data: { thread_id: run.threadId, trace_id: run.traceId },
  });

  it.each([
    ['a later step arrives', 'later_step', (run: RunIds) => [working(run, 2)]],
    ['the step is reported without them', 'replaced', (run: RunIds) => [working(run, 1)]],
    ['the run is completed', 'run_ended', (run: RunIds) => [end(run)]],
    ['the run fails', 'run_ended', (run: RunIds) => [end(run, 'thread_error')]],
    ['the budget is gone', 'run_ended', (run: RunIds) => [end(run, 'thread_budget_exceeded')]],
    ['a step says that the run has ended', 'replaced', (run: RunIds) => [working(run, 1, { status: 'completed' })]],
    [
      'its agent starts a new run',
      'new_run',
      (run: RunIds) => [started(run.threadId, { trace_id: `next-${run.traceId}` })],
    ],
    [
      'its agent reports of a new run',
      'new_run',
      (run: RunIds) => [working({ ...run, traceId: `next-${run.traceId}` }, 0)],
    ],
  ])('is superseded when %s, in the same batch as well', async (_when, reason, next) => {
    for (const isOneBatch of [false, true]) {
      const run = newRun();
      if (isOneBatch) await record(server.api, working(run, 0), waiting(run, 1), ...next(run));
      else {
        await record(server.api, working(run, 0), waiting(run, 1));
        expect(await pendingCountOf(server.api, run.threadId)).toBe(1);
        await record(server.api, ...next(run));
      }
      expect(await pendingCountOf(server.api, run.threadId)).toBe(0);
      const approval = await approvalOf(server.api, run, 1);
      expect(approval).toMatchObject({ status: 'superseded', decided_through: reason, decided_at: null });
      for (const verb of ['approve', 'reject'] as const) {
        expect(problemOf(await decide(server.api, verb, run, 1), 409).code).toBe('approval_closed');
      }
      expect(await latestOf(server.api, run.threadId)).not.toMatchObject({ status: 'approved' });
    }
  });

  it('is born superseded when it arrives below a later step', async () => {
    const run = newRun();
    await record(server.api, working(run, 2));
    await record(server.api, waiting(run, 1));
    expect(await approvalOf(server.api, run, 1)).toMatchObject({ status: 'superseded', decided_through: 'later_step' });
    expect(await pendingCountOf(server.api, run.threadId)).toBe(0);
    expect(await latestOf(server.api, run.threadId)).toMatchObject({ step_index: 2, status: 'in_progress' });
    expect((await decide(server.api, 'approve', run, 1)).status).toBe(409);
  });

  it('is born superseded when its own status says that the run has ended, and stays so', async () => {
    const run = newRun();
    await record(server.api, waiting(run, 1, { status: 'error' }));
    expect(await approvalOf(server.api, run, 1)).toMatchObject({ status: 'superseded', decided_through: 'run_ended' });
    await record(server.api, started(run.threadId, { trace_id: run.traceId }));
    expect(await pendingCountOf(server.api, run.threadId)).toBe(0);
  });

  it('is not what waits while its run rests, warns, or a sub-agent works', async () => {
    const run = newRun();
    await record(server.api, started(run.threadId, { trace_id: run.traceId }), waiting(run, 1));
    const ids = { thread_id: run.threadId, trace_id: run.traceId };
    const sub = { ...run, traceId: `sub-${run.traceId}` };
    await record(
      server.api,
      { type: 'thread_idle', data: ids },
      { type: 'budget_warning', data: { ...ids, run_cost_usd: 1 } },
      { type: 'something_else', data: ids },
      working(sub, 0, { agent_id: 'researcher', parent_trace_id: run.traceId }),
      completed(run.threadId, { trace_id: sub.traceId }),
    );
    expect(await pendingCountOf(server.api, run.threadId)).toBe(1);
    await decided(server.api, 'approve', run, 1);
    expect(await latestOf(server.api, run.threadId)).toMatchObject({ trace_id: run.traceId, status: 'approved' });
  });
});
