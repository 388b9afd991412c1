import { checkpoint, completed, conversation, newThreadId, started } from '../../factories/events.js';
import { problemOf } from '../../support/problem.js';
import { checkpointsOf, detailOf, record, recordEach, threadPath } from '../../support/recording.js';
import { useSharedServer } from '../../support/shared-server.js';

const server = useSharedServer();

describe('The checkpoints of a thread', () => {
  it('are 404 for an unknown thread', async () => {
    problemOf(await server.api.get(threadPath(newThreadId(), '/checkpoints')), 404);
  });

  it('are ordered by run as first seen, then by attempt, then by step', async () => {
    const threadId = newThreadId();
    const second = { trace_id: 'a-later-run' };
    await recordEach(server.api, started(threadId), checkpoint(threadId, 1), checkpoint(threadId, 0));
    await recordEach(server.api, checkpoint(threadId, 0, second), completed(threadId));
    await recordEach(server.api, checkpoint(threadId, 1, { history: conversation(2, ' turn 2') }));
    await recordEach(server.api, checkpoint(threadId, 0, { history: conversation(2, ' turn 2') }));
    const rows = await checkpointsOf(server.api, threadId);
    expect(rows.map((row) => [row.trace_id, row.step_index, row.history[0]?.content])).toEqual([
      ['run-1', 0, 'question 0'],
      ['run-1', 1, 'question 0'],
      ['run-1', 0, 'question 0 turn 2'],
      ['run-1', 1, 'question 0 turn 2'],
      ['a-later-run', 0, 'question 0'],
    ]);
  });

  it('carry all fields of what was reported', async () => {
    const threadId = newThreadId();
    const events = [checkpoint(threadId, 0), checkpoint(threadId, 1, { budget_warning: true, note: 'kept' })];
    await record(server.api, ...events);
    const rows = await checkpointsOf(server.api, threadId);
    for (const [index, event] of events.entries()) expect(rows[index]).toMatchObject(event.data);
  });

  it("carry with history=new only what was added since the run's previous step", async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0), checkpoint(threadId, 1), checkpoint(threadId, 2));
    await record(server.api, checkpoint(threadId, 0, { trace_id: 'run-2', history: conversation(3) }));
    const rows = await checkpointsOf(server.api, threadId, { history: 'new' });
    const whole = conversation(6);
    expect(rows.map((row) => row.history)).toEqual([
      whole.slice(0, 2),
      whole.slice(2, 4),
      whole.slice(4, 6),
      conversation(3),
    ]);
  });

  it('show what is said again as new, also where it was put before older messages', async () => {
    const threadId = newThreadId();
    const [remark, q1, a1, q2] = ['Reminder', 'q1', 'a1', 'q2'].map((content) => ({ role: 'user', content }));
    const histories = [
      [q1, a1],
      [remark, a1],
      [remark, a1, q2, remark],
      [remark, a1, q2, remark, remark],
    ];
    for (const [step, history] of histories.entries())
      await record(server.api, checkpoint(threadId, step, { history }));
    const rows = await checkpointsOf(server.api, threadId, { history: 'new' });
    expect(rows.map((row) => row.history)).toEqual([[q1, a1], [remark], [q2, remark], [remark]]);
    const { logs } = (await detailOf(server.api, threadId)) as { logs: { message: string }[] };
    const said = logs.map(({ message }) => message);
    expect(said.sort()).toEqual(['Reminder', 'Reminder', 'Reminder', 'a1', 'q1', 'q2']);
    expect((await checkpointsOf(server.api, threadId)).map((row) => row.history)).toEqual(histories);
  });

  it('carry no messages with history=none', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0), checkpoint(threadId, 1));
    const rows = await checkpointsOf(server.api, threadId, { history: 'none' });
    expect(rows.map((row) => row.step_index)).toEqual([0, 1]);
    for (const row of rows) expect(row.history ?? []).toEqual([]);
  });

  it.each([
    ['history', 'some'],
    ['limit', '0'],
    ['limit', '201'],
    ['limit', 'all'],
    ['cursor', 'made-up'],
  ])('refuse %s=%j', async (name, value) => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0));
    problemOf(await server.api.get(threadPath(threadId, '/checkpoints', { [name]: value })), 400);
  });
});
