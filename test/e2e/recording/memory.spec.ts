import { checkpoint, completed, conversation, failed, newThreadId, started } from '../../factories/events.js';
import { checkpointsOf, latestOf, record, recordEach } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';

const server = useServer({ isAlone: true });
const second = { trace_id: 'run-2' };

describe('The memory that a new run begins with', () => {
  it('is the last non-empty history of the same agent, so that an agent which dies right after starting resumes', async () => {
    const threadId = newThreadId();
    await recordEach(server.api, started(threadId), checkpoint(threadId, 0), checkpoint(threadId, 1));
    await recordEach(server.api, checkpoint(threadId, 2, { history: [] }), completed(threadId));
    await record(server.api, started(threadId, second));
    const latest = await latestOf(server.api, threadId);
    expect(latest).toMatchObject({ trace_id: 'run-2', step_index: 0, status: 'in_progress' });
    expect(latest.history).toEqual(conversation(4));
    expect(latest.history_meta).toHaveLength(4);
  });

  it('is there also when the run before never ended', async () => {
    const threadId = newThreadId();
    await recordEach(server.api, started(threadId), checkpoint(threadId, 1), started(threadId, second));
    expect(await latestOf(server.api, threadId)).toMatchObject({ trace_id: 'run-2', history: conversation(4) });
  });

  it('survives several starts in a row', async () => {
    const threadId = newThreadId();
    await recordEach(server.api, started(threadId), checkpoint(threadId, 1), failed(threadId));
    for (const trace of ['run-2', 'run-3', 'run-4']) await record(server.api, started(threadId, { trace_id: trace }));
    expect(await latestOf(server.api, threadId)).toMatchObject({ trace_id: 'run-4', history: conversation(4) });
  });

  it('gives way to the first checkpoint of the run', async () => {
    const threadId = newThreadId();
    await recordEach(server.api, started(threadId), checkpoint(threadId, 3), completed(threadId));
    await recordEach(server.api, started(threadId, second), checkpoint(threadId, 0, second));
    const rows = await checkpointsOf(server.api, threadId);
    expect(rows.map((row) => [row.trace_id, row.step_index, row.history.length])).toEqual([
      ['run-1', 3, 8],
      ['run-2', 0, 2],
    ]);
  });

  it('is that of the present attempt, which took it over, also when the server has forgotten it', async () => {
    const threadIds = [newThreadId(), newThreadId()];
    for (const [at, threadId] of threadIds.entries()) {
      const steps = [0, 1, 2].map((step) => checkpoint(threadId, step));
      await recordEach(server.api, started(threadId), ...steps, started(threadId), ...steps.slice(0, 2));
      await record(server.api, checkpoint(threadId, 2, { history: [], tokens_used: 7 }));
      if (at === 1) await server.restart();
      await record(server.api, started(threadId, second));
      const latest = await latestOf(server.api, threadId);
      expect(latest).toMatchObject({ trace_id: 'run-2', history: conversation(4) });
      expect(latest.history_meta).toHaveLength(4);
    }
  });

  it('has the lists that an attempt took over until it reports others, also when the server has forgotten them', async () => {
    const carried: unknown[] = [];
    for (const at of [0, 1]) {
      const threadId = newThreadId();
      const steps = [0, 1, 2].map((step) => checkpoint(threadId, step));
      await recordEach(server.api, started(threadId), ...steps, started(threadId), ...steps.slice(0, 2));
      await record(server.api, checkpoint(threadId, 2, { history: conversation(5), history_meta: [] }));
      if (at === 1) await server.restart();
      await record(server.api, started(threadId, second));
      const { trace_id, history, history_meta } = await latestOf(server.api, threadId);
      carried.push({ trace_id, history, metadata: history_meta.length });
    }
    const wanted = { trace_id: 'run-2', history: conversation(5), metadata: 4 };
    expect(carried).toEqual([wanted, wanted]);
  });

  const said = (count: number) => ({ history: conversation(count), history_meta: [] });
  const silent = { history: [], history_meta: [] };
  it.each([
    [
      'a report below a silent one is replaced',
      [
        [2, said(4)],
        [3, silent],
        [2, said(6)],
      ],
      6,
    ],
    [
      'a report comes late below a silent one',
      [
        [0, said(2)],
        [3, silent],
        [2, said(6)],
      ],
      6,
    ],
    [
      'the last report is replaced by a silent one',
      [
        [1, said(4)],
        [0, said(2)],
        [2, said(6)],
        [2, silent],
      ],
      4,
    ],
  ] as const)('is the history of the highest step that has one, where %s', async (_, reports, length) => {
    const remembered: unknown[] = [];
    for (const way of ['one by one', 'restarted', 'in a batch']) {
      const threadId = newThreadId();
      const events = reports.map(([step, fields]) => checkpoint(threadId, step, fields));
      if (way === 'in a batch') await record(server.api, ...events, started(threadId, second));
      else await recordEach(server.api, ...events);
      if (way === 'restarted') await server.restart();
      if (way !== 'in a batch') await record(server.api, started(threadId, second));
      const { trace_id, history } = await latestOf(server.api, threadId);
      remembered.push([way, trace_id, history.length]);
    }
    expect(remembered).toEqual([
      ['one by one', 'run-2', length],
      ['restarted', 'run-2', length],
      ['in a batch', 'run-2', length],
    ]);
  });

  it('is not that of another agent', async () => {
    const threadId = newThreadId();
    await recordEach(server.api, started(threadId), checkpoint(threadId, 1), completed(threadId));
    await record(server.api, started(threadId, { ...second, agent_id: 'writer' }));
    expect(await latestOf(server.api, threadId)).toMatchObject({ trace_id: 'run-2', history: [] });
  });

  it.each([
    ['names its parent', { parent_trace_id: 'run-1' }],
    ['does not name its parent', {}],
  ])('is empty for a sub-agent that %s, and its start does not hide the parent', async (_, parent) => {
    const threadId = newThreadId();
    const child = { trace_id: 'run-1a', agent_id: 'researcher', ...parent };
    await recordEach(server.api, started(threadId), checkpoint(threadId, 0), started(threadId, child));
    expect((await latestOf(server.api, threadId)).trace_id).toBe('run-1');
    const rows = await checkpointsOf(server.api, threadId, { trace_id: 'run-1a' });
    expect(rows.map((row) => row.history)).toEqual([[]]);
  });

  it('is empty for a sub-agent also in the batch that starts its parent again, which stays the latest', async () => {
    const threadId = newThreadId();
    await record(server.api, started(threadId), checkpoint(threadId, 0), completed(threadId));
    await record(server.api, started(threadId), started(threadId, { trace_id: 'run-1a', agent_id: 'researcher' }));
    expect(await latestOf(server.api, threadId)).toMatchObject({ trace_id: 'run-1', history: conversation(2) });
  });

  it("is the agent's own when it starts again while its sub-agent's run is still open", async () => {
    const threadId = newThreadId();
    const child = { trace_id: 'run-1a', agent_id: 'researcher', parent_trace_id: 'run-1' };
    await recordEach(server.api, started(threadId), checkpoint(threadId, 1));
    await recordEach(server.api, started(threadId, child), checkpoint(threadId, 0, child));
    await record(server.api, started(threadId, second));
    expect(await latestOf(server.api, threadId)).toMatchObject({ trace_id: 'run-2', history: conversation(4) });
  });
});
