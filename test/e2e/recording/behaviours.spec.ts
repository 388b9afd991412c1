import { checkpoint, completed, conversation, newThreadId, started, type RunnerEvent } from '../../factories/events.js';
import {
  checkpointsOf,
  detailOf,
  EVENTS,
  latestOf,
  outline,
  record,
  recordEach,
  snapshotOf,
} from '../../support/recording.js';
import { useSharedServer } from '../../support/shared-server.js';

const server = useSharedServer();

describe('Recording runs', () => {
  it('changes nothing when the same batch is posted twice, and answers the same', async () => {
    const threadId = newThreadId();
    const events = [started(threadId), checkpoint(threadId, 0), checkpoint(threadId, 1), completed(threadId)];
    const first = await server.api.post(EVENTS, { events });
    const before = await snapshotOf(server.api, threadId);
    const second = await server.api.post(EVENTS, { events });
    expect([second.status, second.json()]).toEqual([first.status, first.json()]);
    expect(await snapshotOf(server.api, threadId)).toEqual(before);
  });

  it('changes nothing when a batch with two runs, each with steps from 0, is posted twice', async () => {
    const threadId = newThreadId();
    const child = { trace_id: 'run-1a', parent_trace_id: 'run-1', agent_id: 'researcher' };
    const events = [
      started(threadId),
      checkpoint(threadId, 0),
      started(threadId, child),
      checkpoint(threadId, 0, child),
      completed(threadId, { trace_id: 'run-1a' }),
      checkpoint(threadId, 1),
    ];
    await record(server.api, ...events);
    const before = await snapshotOf(server.api, threadId);
    await record(server.api, ...events);
    expect(await snapshotOf(server.api, threadId)).toEqual(before);
  });

  it('puts steps that arrive out of order in step order; the latest is the highest, not the last arrived', async () => {
    const threadId = newThreadId();
    for (const step of [3, 0, 2, 1]) await record(server.api, checkpoint(threadId, step));
    const steps = (await checkpointsOf(server.api, threadId)).map((row) => row.step_index);
    expect(steps).toEqual([0, 1, 2, 3]);
    const latest = await latestOf(server.api, threadId);
    expect([latest.step_index, latest.history.length, latest.tokens_used]).toEqual([3, 8, 400]);
  });

  it('carries into a new run the last history that is not replaced, also within one batch', async () => {
    const empty = { history: [], history_meta: [] };
    const next = { trace_id: 'run-2' };
    const carried = async (...batches: RunnerEvent[][]) => {
      const threadId = newThreadId();
      for (const batch of batches) {
        await record(server.api, ...batch.map(({ type, data }) => ({ type, data: { ...data, thread_id: threadId } })));
      }
      return (await latestOf(server.api, threadId, next)).history.length;
    };
    const replaced = checkpoint('', 0, empty);
    expect(await carried([checkpoint('', 0)], [replaced, started('', next)])).toBe(0);
    expect(await carried([checkpoint('', 0)], [replaced], [started('', next)])).toBe(0);
    expect(await carried([checkpoint('', 0), replaced, started('', next)])).toBe(0);
    const waiting = checkpoint('', 1, empty);
    expect(await carried([checkpoint('', 0), waiting, started('', next)])).toBe(2);
    expect(await carried([checkpoint('', 0)], [waiting], [started('', next)])).toBe(2);
    expect(await carried([checkpoint('', 0), checkpoint('', 1)], [waiting, started('', next)])).toBe(2);
    const again = checkpoint('', 0, { tokens_used: 7 });
    const three = [checkpoint('', 0), checkpoint('', 1), again, checkpoint('', 2, empty)];
    expect(await carried(three, [started('', next)])).toBe(4);
  });

  it('replaces a step that is reported again with other content', async () => {
    const threadId = newThreadId();
    await recordEach(server.api, checkpoint(threadId, 0), checkpoint(threadId, 1), checkpoint(threadId, 2));
    const corrected = conversation(4, ' (corrected)');
    await record(server.api, checkpoint(threadId, 1, { history: corrected, tokens_used: 7 }));
    const rows = await checkpointsOf(server.api, threadId);
    expect(rows.map((row) => [row.step_index, row.history.length])).toEqual([
      [0, 2],
      [1, 4],
      [2, 6],
    ]);
    expect(rows[1]).toMatchObject({ history: corrected, tokens_used: 7 });
  });

  it('creates the run and its initial row at its start; the first checkpoint replaces that row', async () => {
    const threadId = newThreadId();
    await record(server.api, started(threadId));
    expect(outline(await checkpointsOf(server.api, threadId))).toEqual(['run-1/0 in_progress']);
    expect(await latestOf(server.api, threadId)).toMatchObject({
      agent_id: 'support',
      model: 'gpt-4o',
      history: [],
      history_meta: [],
      pending_tool_calls: [],
      parent_trace_id: null,
      tokens_used: 0,
    });
    await record(server.api, checkpoint(threadId, 1));
    expect(outline(await checkpointsOf(server.api, threadId))).toEqual(['run-1/1 in_progress']);
  });

  it('never hides or resets saved state when a known run starts again', async () => {
    const threadId = newThreadId();
    await recordEach(server.api, started(threadId), checkpoint(threadId, 0), checkpoint(threadId, 1));
    await record(server.api, started(threadId));
    const latest = await latestOf(server.api, threadId);
    expect([latest.step_index, latest.history]).toEqual([1, conversation(4)]);
    expect(await checkpointsOf(server.api, threadId)).toHaveLength(2);
  });

  it('opens a new attempt when the steps of a run that was started again begin at 0', async () => {
    const threadId = newThreadId();
    await recordEach(server.api, started(threadId), checkpoint(threadId, 0), checkpoint(threadId, 1));
    const again = (step: number) => checkpoint(threadId, step, { history: conversation(2 * step + 2, ' again') });
    await recordEach(server.api, started(threadId), again(0), again(1));
    const rows = await checkpointsOf(server.api, threadId);
    expect(rows.map((row) => row.step_index)).toEqual([0, 1, 0, 1]);
    expect(rows.map((row) => row.history[0]?.content)).toEqual([
      'question 0',
      'question 0',
      'question 0 again',
      'question 0 again',
    ]);
    expect(await detailOf(server.api, threadId)).toMatchObject({
      runs: 1,
      run_list: [{ trace_id: 'run-1', attempts: 2, steps: 4 }],
    });
  });

  it('answers with the top of the chain above the run that last made progress', async () => {
    const threadId = newThreadId();
    const child = { trace_id: 'run-1a', parent_trace_id: 'run-1', agent_id: 'researcher' };
    await recordEach(server.api, started(threadId), checkpoint(threadId, 0), started(threadId, child));
    expect((await latestOf(server.api, threadId)).trace_id).toBe('run-1');
    await record(server.api, checkpoint(threadId, 0, child));
    expect((await latestOf(server.api, threadId)).trace_id).toBe('run-1');
    expect((await latestOf(server.api, threadId, { agent_id: 'researcher' })).trace_id).toBe('run-1a');
    await record(server.api, checkpoint(threadId, 0, { trace_id: 'run-2', agent_id: 'unrelated' }));
    expect((await latestOf(server.api, threadId)).trace_id).toBe('run-2');
    await record(server.api, checkpoint(threadId, 1));
    expect((await latestOf(server.api, threadId)).trace_id).toBe('run-1');
  });

  it('does not bring an old run back to life by a retry or a late lower step', async () => {
    const threadId = newThreadId();
    const old = checkpoint(threadId, 3);
    await recordEach(server.api, checkpoint(threadId, 0), old);
    await record(server.api, started(threadId, { trace_id: 'run-2' }), checkpoint(threadId, 0, { trace_id: 'run-2' }));
    await recordEach(server.api, old, checkpoint(threadId, 1));
    expect((await latestOf(server.api, threadId)).trace_id).toBe('run-2');
    expect(outline(await checkpointsOf(server.api, threadId))).toEqual([
      'run-1/0 in_progress',
      'run-1/1 in_progress',
      'run-1/3 in_progress',
      'run-2/0 in_progress',
    ]);
  });

  it('stores a trimmed, summarised or edited history as reported and leaves the earlier checkpoints as they were', async () => {
    const threadId = newThreadId();
    const whole = conversation(8);
    const histories = [
      whole,
      whole.slice(3),
      [{ role: 'system', content: 'summary' }, ...whole.slice(6)],
      [...whole.slice(0, 2), { role: 'user', content: 'edited' }, ...whole.slice(3)],
      [],
      [...whole, ...whole],
    ];
    for (const [step, history] of histories.entries()) {
      await record(server.api, checkpoint(threadId, step, { history }));
    }
    expect((await checkpointsOf(server.api, threadId)).map((row) => row.history)).toEqual(histories);
  });
});
