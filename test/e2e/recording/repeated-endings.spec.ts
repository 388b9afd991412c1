import {
  budgetExceeded,
  checkpoint,
  completed,
  conversation,
  failed,
  newThreadId,
  otherCheckpoint,
  started,
  type RunnerEvent,
} from '../../factories/events.js';
import { newRun, waiting } from '../../factories/waiting.js';
import { approvalOf } from '../../support/approvals.js';
import {
  checkpointsOf,
  detailOf,
  expectRestoredBy,
  expectUnchangedBy,
  latestOf,
  outline,
  record,
  recordEach,
  runStatusOf,
  snapshotOf,
} from '../../support/recording.js';
import { useSharedServer } from '../../support/shared-server.js';

const server = useSharedServer();

/** Sets the time this many seconds after the run began, for clients that send times. */
function at<T extends RunnerEvent>(second: number, event: T): T {
  return { ...event, occurred_at: new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString() };
}

function idle(threadId: string): RunnerEvent {
  return { type: 'thread_idle', data: { thread_id: threadId, trace_id: 'run-1' } };
}

async function statusesOf(threadId: string): Promise<unknown[]> {
  const { status, run_list: runs } = (await detailOf(server.api, threadId)) as {
    status: string;
    run_list: { status: string }[];
  };
  return [status, ...runs.map((run) => run.status)];
}

describe('A client without ids that uses one trace for many turns', () => {
  it.each([
    ['completes', completed, 'completed'],
    ['fails', failed, 'error'],
    ['exceeds its budget', budgetExceeded, 'budget_exceeded'],
    ['rests', idle, 'idle'],
  ] as const)('%s each time with the same words', async (_, end, status) => {
    const threadId = newThreadId();
    for (const step of [0, 1, 2]) {
      await record(server.api, checkpoint(threadId, step));
      expect(await statusesOf(threadId)).toEqual(['in_progress', 'in_progress']);
      await record(server.api, end(threadId));
      expect(await statusesOf(threadId)).toEqual([status, status]);
      await expectUnchangedBy(server.api, threadId, end(threadId));
    }
  });

  it('ends each turn in one batch with its last step', async () => {
    const threadId = newThreadId();
    for (const step of [0, 1, 2]) {
      await record(server.api, checkpoint(threadId, step), completed(threadId));
      expect(await statusesOf(threadId)).toEqual(['completed', 'completed']);
      const before = await snapshotOf(server.api, threadId);
      await record(server.api, checkpoint(threadId, step), completed(threadId));
      expect(await snapshotOf(server.api, threadId)).toEqual(before);
    }
  });

  it('goes on with its new turn when the answer to a batch of the old one was lost', async () => {
    for (const turn2 of [{}, { turn_start_history_len: 4 }]) {
      const threadId = newThreadId();
      const turn1 = [started(threadId), checkpoint(threadId, 0), checkpoint(threadId, 1)];
      await record(server.api, ...turn1);
      await record(server.api, ...turn1);
      await record(server.api, checkpoint(threadId, 2));
      const next = otherCheckpoint(threadId, 0, ' turn 2', turn2);
      const isTold = Object.keys(turn2).length === 0;
      await record(server.api, ...(isTold ? [started(threadId), next] : [next]));
      expect(await latestOf(server.api, threadId)).toMatchObject({
        step_index: 0,
        history: conversation(2, ' turn 2'),
      });
      expect((await checkpointsOf(server.api, threadId)).map((row) => row.step_index)).toEqual([0, 1, 2, 0]);
    }
  });

  it('is not restarted by a retry whose news goes on: the next step at 0 is a correction then', async () => {
    const threadId = newThreadId();
    const batch = [started(threadId), checkpoint(threadId, 0)];
    await record(server.api, ...batch);
    await record(server.api, ...batch);
    await record(server.api, checkpoint(threadId, 1));
    await record(server.api, otherCheckpoint(threadId, 0, ' corrected'));
    expect(await detailOf(server.api, threadId)).toMatchObject({
      step_index: 1,
      run_list: [{ attempts: 1, steps: 2 }],
    });
  });
});

describe('An ending in a batch with other events of its run', () => {
  it('is a replay where nothing but replays stands before it', async () => {
    const run = newRun();
    const batch = [completed(run.threadId, { trace_id: run.traceId }), waiting(run, 0)];
    await record(server.api, ...batch);
    expect((await approvalOf(server.api, run, 0)).status).toBe('pending');
    const before = await snapshotOf(server.api, run.threadId);
    await record(server.api, ...batch);
    expect(await snapshotOf(server.api, run.threadId)).toEqual(before);
    expect((await approvalOf(server.api, run, 0)).status).toBe('pending');
  });

  it('counts where news stands before it, also without a trace', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0), completed(threadId, { trace_id: undefined }));
    await record(server.api, checkpoint(threadId, 1), completed(threadId, { trace_id: undefined }));
    expect(await statusesOf(threadId)).toEqual(['completed', 'completed']);
  });
});

describe('A late retry of a lone ending from an earlier turn', () => {
  it('ends no turn in which a person is to decide', async () => {
    const run = newRun();
    const ids = { trace_id: run.traceId };
    await record(server.api, checkpoint(run.threadId, 0, ids));
    await record(server.api, failed(run.threadId, ids));
    await record(server.api, checkpoint(run.threadId, 1, ids));
    await record(server.api, completed(run.threadId, ids));
    await record(server.api, waiting(run, 2));
    await expectUnchangedBy(server.api, run.threadId, failed(run.threadId, ids));
    expect((await approvalOf(server.api, run, 2)).status).toBe('pending');
  });

  it.each([
    ['tokens', { tokens_used: 100 }],
    ['cost', { run_cost_usd: 0.001 }],
  ])('ends no turn that has come further: fewer %s', async (_, figures) => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0));
    await record(server.api, failed(threadId, figures));
    await record(server.api, checkpoint(threadId, 1));
    await record(server.api, completed(threadId));
    await record(server.api, checkpoint(threadId, 2));
    await expectUnchangedBy(server.api, threadId, failed(threadId, figures));
  });

  it('counts otherwise: a run may fail twice in the same way', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0));
    await record(server.api, failed(threadId));
    await record(server.api, checkpoint(threadId, 1));
    await record(server.api, completed(threadId));
    await record(server.api, checkpoint(threadId, 2));
    await record(server.api, failed(threadId));
    expect(await statusesOf(threadId)).toEqual(['error', 'error']);
  });
});

describe('A checkpoint that occurred before the end of its run and arrives after it', () => {
  it('is stored as its last step and leaves it ended, with the figures of the end', async () => {
    const threadId = newThreadId();
    const other = { trace_id: 'run-2' };
    const end = failed(threadId, { tokens_used: 900, model: 'gpt-5', run_cost_usd: 0.4 });
    await record(server.api, at(0, started(threadId)), at(1, checkpoint(threadId, 0)), at(9, end));
    await record(server.api, checkpoint(threadId, 0, other));
    await record(server.api, { ...at(2, checkpoint(threadId, 1)), id: 'delayed' });
    expect(await latestOf(server.api, threadId, { trace_id: 'run-1' })).toMatchObject({
      ...{ step_index: 1, status: 'error', error: 'the model timed out', tokens_used: 900, model: 'gpt-5' },
      ...{ run_cost_usd: 0.4, history: conversation(4) },
    });
    expect(await runStatusOf(server.api, threadId)).toBe('error');
    expect(await latestOf(server.api, threadId)).toMatchObject({ trace_id: 'run-2' });
    expect(await detailOf(server.api, threadId)).toMatchObject({ total_tokens: 1000, run_list: [{ attempts: 1 }, {}] });
  });

  it('fills a gap below the last step', async () => {
    const threadId = newThreadId();
    await record(
      server.api,
      at(1, checkpoint(threadId, 0)),
      at(3, checkpoint(threadId, 2)),
      at(9, completed(threadId)),
    );
    await record(server.api, at(2, checkpoint(threadId, 1)));
    expect((await checkpointsOf(server.api, threadId)).map((row) => row.step_index)).toEqual([0, 1, 2]);
    expect(await latestOf(server.api, threadId)).toMatchObject({ step_index: 2, status: 'completed' });
    expect(await detailOf(server.api, threadId)).toMatchObject({ run_list: [{ status: 'completed', attempts: 1 }] });
  });

  it('asks nobody: its calls are born superseded', async () => {
    const run = newRun();
    const ids = { trace_id: run.traceId };
    await record(server.api, at(1, checkpoint(run.threadId, 0, ids)), at(9, completed(run.threadId, ids)));
    await record(server.api, at(2, waiting(run, 1)));
    expect((await approvalOf(server.api, run, 1)).status).toBe('superseded');
    expect((await latestOf(server.api, run.threadId)).status).toBe('completed');
    expect(await detailOf(server.api, run.threadId)).toMatchObject({ pending_approvals: 0 });
  });

  it('goes on where the run was started again, or a new turn has begun, whatever the time', async () => {
    const ended = async () => {
      const threadId = newThreadId();
      await record(server.api, at(0, started(threadId)), at(1, checkpoint(threadId, 0)), at(9, completed(threadId)));
      return threadId;
    };
    const [restarted, turned] = [await ended(), await ended()];
    await record(server.api, at(3, started(restarted)), at(4, otherCheckpoint(restarted, 0, ' again')));
    await record(server.api, at(4, otherCheckpoint(turned, 0, ' again', { turn_start_history_len: 2 })));
    for (const threadId of [restarted, turned]) {
      expect(await statusesOf(threadId)).toEqual(['in_progress', 'in_progress']);
      expect(await detailOf(server.api, threadId)).toMatchObject({ run_list: [{ attempts: 2 }] });
    }
  });
});

describe('A repeated start', () => {
  it('sets a run in progress that rested, until its rest is repeated', async () => {
    const threadId = newThreadId();
    await record(server.api, started(threadId), checkpoint(threadId, 0));
    await record(server.api, idle(threadId));
    await expectRestoredBy(server.api, threadId, started(threadId), idle(threadId));
    await record(server.api, started(threadId));
    expect(await statusesOf(threadId)).toEqual(['in_progress', 'in_progress']);
  });

  it('leaves a run as it is that waits for a person', async () => {
    const run = newRun();
    await record(server.api, started(run.threadId, { trace_id: run.traceId }), waiting(run, 0));
    await expectUnchangedBy(server.api, run.threadId, started(run.threadId, { trace_id: run.traceId }));
    expect((await approvalOf(server.api, run, 0)).status).toBe('pending');
  });
});

describe('An ending without a trace', () => {
  it('ends the caller of a sub-run that has ended by other words', async () => {
    const threadId = newThreadId();
    const sub = { trace_id: 'sub', agent_id: 'research', parent_trace_id: 'run-1' };
    await recordEach(server.api, started(threadId), checkpoint(threadId, 0), checkpoint(threadId, 0, sub));
    await record(server.api, completed(threadId, { ...sub, tokens_used: 7 }));
    const bare = { type: 'thread_completed', data: { thread_id: threadId, tokens_used: 900 } };
    await record(server.api, bare);
    expect(outline(await checkpointsOf(server.api, threadId))).toEqual(['run-1/0 completed', 'sub/0 completed']);
    expect(await latestOf(server.api, threadId, { trace_id: 'run-1' })).toMatchObject({ tokens_used: 900 });
    await expectUnchangedBy(server.api, threadId, bare);
  });
});

describe('An exceeded budget', () => {
  it('is remembered as a warning, also where its checkpoint was stored before', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0));
    await record(server.api, budgetExceeded(threadId));
    expect(await latestOf(server.api, threadId)).toMatchObject({ budget_warning: true });
    expect(await checkpointsOf(server.api, threadId)).toMatchObject([{ budget_warning: true }]);
  });
});
