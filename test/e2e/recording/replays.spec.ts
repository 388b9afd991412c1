import {
  checkpoint,
  completed,
  conversation,
  failed,
  newThreadId,
  otherCheckpoint,
  started,
} from '../../factories/events.js';
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
} from '../../support/recording.js';
import { useSharedServer } from '../../support/shared-server.js';

const server = useSharedServer();

async function outlineOf(threadId: string): Promise<string[]> {
  return outline(await checkpointsOf(server.api, threadId));
}

async function firstQuestions(threadId: string): Promise<unknown[]> {
  return (await checkpointsOf(server.api, threadId)).map(
    (row) => `${row.step_index} ${String(row.history[0]?.content)}`,
  );
}

describe('A report that was stored before', () => {
  it('is a replay, also when the step was replaced since', async () => {
    const threadId = newThreadId();
    const first = checkpoint(threadId, 1);
    await recordEach(server.api, checkpoint(threadId, 0), first, otherCheckpoint(threadId, 1, ' corrected'));
    await expectUnchangedBy(server.api, threadId, first);
  });

  it('is a replay, also after its run has ended', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0), checkpoint(threadId, 1), completed(threadId));
    await expectUnchangedBy(server.api, threadId, checkpoint(threadId, 1), checkpoint(threadId, 0));
  });

  it('is a replay, also when it belongs to an earlier attempt', async () => {
    const threadId = newThreadId();
    await recordEach(server.api, checkpoint(threadId, 0), checkpoint(threadId, 1), completed(threadId));
    await recordEach(server.api, otherCheckpoint(threadId, 0, ' turn 2'));
    await expectUnchangedBy(server.api, threadId, checkpoint(threadId, 1), checkpoint(threadId, 0));
  });

  it('is always new when it has neither step nor event id', async () => {
    const threadId = newThreadId();
    const bare = { type: 'checkpoint', data: { thread_id: threadId, history: conversation(2) } };
    await recordEach(server.api, bare, bare, bare);
    expect((await checkpointsOf(server.api, threadId)).map((row) => row.step_index)).toEqual([0, 1, 2]);
  });

  it('is a replay in another thread only there', async () => {
    const threads = [newThreadId(), newThreadId()];
    for (const threadId of threads) await record(server.api, checkpoint(threadId, 0));
    for (const threadId of threads) expect(await checkpointsOf(server.api, threadId)).toHaveLength(1);
  });
});

describe('A run that is started again', () => {
  it('is in progress', async () => {
    const threadId = newThreadId();
    await record(server.api, started(threadId), checkpoint(threadId, 0), failed(threadId));
    await record(server.api, started(threadId));
    expect(await runStatusOf(server.api, threadId)).toBe('in_progress');
  });

  it('goes back to its end when only replays follow and the end is repeated', async () => {
    const threadId = newThreadId();
    const all = [started(threadId), checkpoint(threadId, 0), checkpoint(threadId, 1), completed(threadId)];
    await record(server.api, ...all);
    await expectRestoredBy(server.api, threadId, ...all);
    expect(await runStatusOf(server.api, threadId)).toBe('completed');
  });

  it('goes back to its end also when its start was reported twice', async () => {
    const threadId = newThreadId();
    const [first, step, end] = [started(threadId), checkpoint(threadId, 0), completed(threadId)];
    await recordEach(server.api, first, step, end);
    await expectRestoredBy(server.api, threadId, first, first, step, end);
  });

  it('takes the steps replayed since its start along into the new attempt', async () => {
    const threadId = newThreadId();
    await recordEach(
      server.api,
      started(threadId),
      checkpoint(threadId, 0),
      checkpoint(threadId, 1),
      checkpoint(threadId, 2),
    );
    await recordEach(server.api, started(threadId), checkpoint(threadId, 0), otherCheckpoint(threadId, 1, ' again'));
    expect(await firstQuestions(threadId)).toEqual([
      '0 question 0',
      '1 question 0',
      '2 question 0',
      '0 question 0',
      '1 question 0 again',
    ]);
    expect((await latestOf(server.api, threadId)).history[0]?.content).toBe('question 0 again');
  });

  it('goes on in the same attempt when its next news is above the highest step', async () => {
    const threadId = newThreadId();
    await recordEach(server.api, started(threadId), checkpoint(threadId, 0), checkpoint(threadId, 1));
    await recordEach(server.api, started(threadId), checkpoint(threadId, 2));
    expect(await outlineOf(threadId)).toEqual(['run-1/0 in_progress', 'run-1/1 in_progress', 'run-1/2 in_progress']);
    expect(await detailOf(server.api, threadId)).toMatchObject({ run_list: [{ attempts: 1, steps: 3 }] });
  });
});

describe('News at a step that is not above the highest', () => {
  it('opens a new attempt when the run had ended', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0), checkpoint(threadId, 1), completed(threadId));
    await record(server.api, otherCheckpoint(threadId, 0, ' turn 2'));
    expect(await outlineOf(threadId)).toEqual(['run-1/0 in_progress', 'run-1/1 completed', 'run-1/0 in_progress']);
    expect(await runStatusOf(server.api, threadId)).toBe('in_progress');
  });

  it('opens a new attempt when a new turn has begun: clients restart at 0 and reuse the trace', async () => {
    const threadId = newThreadId();
    await recordEach(server.api, checkpoint(threadId, 0), checkpoint(threadId, 1));
    const turn2 = { turn_start_history_len: 4, history: conversation(6) };
    await recordEach(server.api, checkpoint(threadId, 0, turn2), checkpoint(threadId, 1, { ...turn2, tokens_used: 9 }));
    expect((await checkpointsOf(server.api, threadId)).map((row) => row.step_index)).toEqual([0, 1, 0, 1]);
    expect(await latestOf(server.api, threadId)).toMatchObject({ step_index: 1, tokens_used: 9 });
  });

  it('replaces that step otherwise', async () => {
    const threadId = newThreadId();
    await recordEach(
      server.api,
      checkpoint(threadId, 0),
      checkpoint(threadId, 1),
      otherCheckpoint(threadId, 0, ' corrected'),
    );
    expect(await firstQuestions(threadId)).toEqual(['0 question 0 corrected', '1 question 0']);
  });
});

describe('An event without trace', () => {
  it('belongs to the run of the event before it of its thread in the batch', async () => {
    const [threadId, elsewhere] = [newThreadId(), newThreadId()];
    await record(server.api, checkpoint(threadId, 0), checkpoint(threadId, 0, { trace_id: 'run-2' }));
    await record(
      server.api,
      checkpoint(threadId, 1),
      checkpoint(elsewhere, 0, { trace_id: 'run-9' }),
      checkpoint(threadId, 2, { trace_id: null }),
      completed(threadId, { trace_id: null }),
    );
    expect(await outlineOf(threadId)).toEqual([
      'run-1/0 in_progress',
      'run-1/1 in_progress',
      'run-1/2 completed',
      'run-2/0 in_progress',
    ]);
  });

  it('belongs to the run that last made progress where the batch says nothing', async () => {
    const threadId = newThreadId();
    await recordEach(server.api, checkpoint(threadId, 0), checkpoint(threadId, 0, { trace_id: 'run-2' }));
    await record(server.api, checkpoint(threadId, 1, { trace_id: undefined }));
    expect(await outlineOf(threadId)).toEqual(['run-1/0 in_progress', 'run-2/0 in_progress', 'run-2/1 in_progress']);
  });
});
