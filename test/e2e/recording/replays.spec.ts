import {
  checkpoint,
  completed,
  conversation,
  failed,
  newThreadId,
  started,
  type RunnerEvent,
} from '../../factories/events.js';
import { checkpointsOf, detailOf, latestOf, outline, record, recordEach, snapshotOf } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';

const server = useServer();

/** The same step with other content. */
function other(threadId: string, step: number, salt: string, fields: Record<string, unknown> = {}): RunnerEvent {
  return checkpoint(threadId, step, { history: conversation(2 * step + 2, salt), ...fields });
}

async function runStatus(threadId: string, index = 0): Promise<unknown> {
  const { run_list: runs } = (await detailOf(server.api, threadId)) as { run_list: { status: string }[] };
  return runs[index]?.status;
}

async function outlineOf(threadId: string): Promise<string[]> {
  return outline(await checkpointsOf(server.api, threadId));
}

async function firstQuestions(threadId: string): Promise<unknown[]> {
  return (await checkpointsOf(server.api, threadId)).map(
    (row) => `${row.step_index} ${String(row.history[0]?.content)}`,
  );
}

async function expectUnchangedBy(threadId: string, ...events: RunnerEvent[]): Promise<void> {
  const before = await snapshotOf(server.api, threadId);
  await recordEach(server.api, ...events);
  expect(await snapshotOf(server.api, threadId)).toEqual(before);
}

describe('A report that was stored before', () => {
  it('is a replay, also when the step was replaced since', async () => {
    const threadId = newThreadId();
    const first = checkpoint(threadId, 1);
    await recordEach(server.api, checkpoint(threadId, 0), first, other(threadId, 1, ' corrected'));
    await expectUnchangedBy(threadId, first);
  });

  it('is a replay, also after its run has ended', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0), checkpoint(threadId, 1), completed(threadId));
    await expectUnchangedBy(threadId, checkpoint(threadId, 1), checkpoint(threadId, 0));
  });

  it('is a replay, also when it belongs to an earlier attempt', async () => {
    const threadId = newThreadId();
    await recordEach(server.api, checkpoint(threadId, 0), checkpoint(threadId, 1), completed(threadId));
    await recordEach(server.api, other(threadId, 0, ' turn 2'));
    await expectUnchangedBy(threadId, checkpoint(threadId, 1), checkpoint(threadId, 0));
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
    expect(await runStatus(threadId)).toBe('in_progress');
  });

  it('goes back to its end when only replays follow and the end is repeated', async () => {
    const threadId = newThreadId();
    const all = [started(threadId), checkpoint(threadId, 0), checkpoint(threadId, 1), completed(threadId)];
    await record(server.api, ...all);
    await expectUnchangedBy(threadId, ...all);
    expect(await runStatus(threadId)).toBe('completed');
  });

  it('goes back to its end also when its start was reported twice', async () => {
    const threadId = newThreadId();
    const [first, step, end] = [started(threadId), checkpoint(threadId, 0), completed(threadId)];
    await recordEach(server.api, first, step, end);
    await expectUnchangedBy(threadId, first, first, step, end);
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
    await recordEach(server.api, started(threadId), checkpoint(threadId, 0), other(threadId, 1, ' again'));
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
    await record(server.api, other(threadId, 0, ' turn 2'));
    expect(await outlineOf(threadId)).toEqual(['run-1/0 in_progress', 'run-1/1 completed', 'run-1/0 in_progress']);
    expect(await runStatus(threadId)).toBe('in_progress');
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
    await recordEach(server.api, checkpoint(threadId, 0), checkpoint(threadId, 1), other(threadId, 0, ' corrected'));
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

describe('A terminal event', () => {
  it('is a replay when it equals the one stored for the current attempt', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0), completed(threadId));
    await record(server.api, checkpoint(threadId, 1));
    await expectUnchangedBy(threadId, completed(threadId));
  });

  it('is a replay when only replays of its run precede it in its batch', async () => {
    const threadId = newThreadId();
    const firstTurn = [started(threadId), checkpoint(threadId, 0), failed(threadId)];
    await record(server.api, ...firstTurn);
    await recordEach(server.api, started(threadId), other(threadId, 0, ' again'), completed(threadId));
    await record(server.api, checkpoint(threadId, 0), failed(threadId));
    expect(await runStatus(threadId)).toBe('completed');
    expect((await latestOf(server.api, threadId)).status).toBe('completed');
  });

  it('is not lost when it comes with a retry of the checkpoint before it', async () => {
    const threadId = newThreadId();
    await record(server.api, started(threadId), checkpoint(threadId, 0));
    await record(server.api, checkpoint(threadId, 0), completed(threadId));
    expect(await runStatus(threadId)).toBe('completed');
  });

  it('is not lost when the run starts again and ends at once in one batch', async () => {
    const threadId = newThreadId();
    await record(server.api, started(threadId), checkpoint(threadId, 0), completed(threadId));
    await record(server.api, started(threadId), failed(threadId));
    expect(await latestOf(server.api, threadId)).toMatchObject({ status: 'error', error: 'the model timed out' });
  });

  it('replaces an earlier one that said something else', async () => {
    const threadId = newThreadId();
    await recordEach(server.api, checkpoint(threadId, 0), completed(threadId), failed(threadId));
    expect(await latestOf(server.api, threadId)).toMatchObject({ status: 'error', error: 'the model timed out' });
  });
});

describe('Clients that number and date their events', () => {
  const numbered = (event: RunnerEvent, id: string): RunnerEvent => ({ ...event, id });
  const dated = (event: RunnerEvent, second: number): RunnerEvent => ({
    ...event,
    id: `event-${second}`,
    sequence_num: second,
    occurred_at: new Date(Date.UTC(2026, 5, 1, 12, 0, second)).toISOString(),
  });

  it('see a repeated id as a replay, whatever the event says', async () => {
    const threadId = newThreadId();
    await record(server.api, numbered(checkpoint(threadId, 0), 'e1'), numbered(checkpoint(threadId, 1), 'e2'));
    await expectUnchangedBy(
      threadId,
      numbered(other(threadId, 0, ' changed'), 'e1'),
      numbered(completed(threadId), 'e2'),
    );
  });

  it('may report without a step and still repeat themselves', async () => {
    const threadId = newThreadId();
    const bare = (id: string) => ({ type: 'checkpoint', id, data: { thread_id: threadId, history: conversation(2) } });
    await recordEach(server.api, bare('e1'), bare('e2'), bare('e1'), bare('e2'));
    expect((await checkpointsOf(server.api, threadId)).map((row) => row.step_index)).toEqual([0, 1]);
  });

  it('have ids per thread', async () => {
    const threads = [newThreadId(), newThreadId()];
    for (const threadId of threads) await record(server.api, numbered(checkpoint(threadId, 0), 'e1'));
    for (const threadId of threads) expect(await checkpointsOf(server.api, threadId)).toHaveLength(1);
  });

  it('do not drag old steps into a new attempt by a retry that arrives after the restart', async () => {
    const threadId = newThreadId();
    const [first, second] = [numbered(checkpoint(threadId, 0), 'e1'), numbered(checkpoint(threadId, 1), 'e2')];
    await recordEach(server.api, first, second, numbered(started(threadId), 'e3'), second);
    await record(server.api, numbered(other(threadId, 0, ' again'), 'e4'));
    expect(await latestOf(server.api, threadId)).toMatchObject({ step_index: 0, history: conversation(2, ' again') });
  });

  it('cannot change an attempt by an event that is older than it', async () => {
    const threadId = newThreadId();
    await recordEach(server.api, dated(started(threadId), 1), dated(checkpoint(threadId, 0), 2));
    await recordEach(server.api, dated(started(threadId), 10), dated(other(threadId, 0, ' again'), 11));
    await expectUnchangedBy(threadId, dated(other(threadId, 0, ' late'), 3), dated(failed(threadId), 4));
  });
});

describe('Other kinds of event', () => {
  it('thread_idle sets the status idle', async () => {
    const threadId = newThreadId();
    const idle = { type: 'thread_idle', data: { thread_id: threadId, trace_id: 'run-1' } };
    await record(server.api, checkpoint(threadId, 0), idle);
    expect((await latestOf(server.api, threadId)).status).toBe('idle');
  });

  it('unknown types are saved in the log and have no other effect', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0));
    const before = await latestOf(server.api, threadId);
    await record(server.api, {
      type: 'tool_installed',
      data: { thread_id: threadId, trace_id: 'run-1', tool: 'grep' },
    });
    expect(await latestOf(server.api, threadId)).toEqual(before);
    expect(await checkpointsOf(server.api, threadId)).toHaveLength(1);
  });

  it('a heartbeat needs no thread and leaves no trace of its token', async () => {
    const token = 'token-of-the-agent-process';
    const data = { agent_id: 'support', endpoint: 'http://127.0.0.1:9', invoke_token: token };
    await record(server.api, { type: 'heartbeat', data });
    expect((await server.api.get('/threads?limit=200')).text).not.toContain(token);
    expect(server.process.printed).not.toContain(token);
  });
});
