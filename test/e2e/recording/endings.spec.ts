import {
  budgetExceeded,
  budgetWarning,
  checkpoint,
  completed,
  failed,
  newThreadId,
  otherCheckpoint,
  started,
} from '../../factories/events.js';
import {
  checkpointsOf,
  detailOf,
  EVENTS,
  expectUnchangedBy,
  latestOf,
  outline,
  record,
  recordEach,
  runStatusOf,
  threadPath,
} from '../../support/recording.js';
import { EventStream, type StreamedEvent } from '../../support/event-stream.js';
import { waitFor } from '../../support/wait.js';
import { useServer } from '../../support/test-server.js';

const server = useServer();

describe('The end of a run', () => {
  it.each([
    ['thread_completed', completed, 'completed', { tokens_used: 1234, model: 'gpt-4o' }],
    ['thread_error', failed, 'error', { error: 'the model timed out' }],
    [
      'thread_budget_exceeded',
      budgetExceeded,
      'budget_exceeded',
      { run_cost_usd: 0.61, budget_usd: 0.5, budget_warning: true },
    ],
  ] as const)('sets status and figures of the run and its latest checkpoint at %s', async (_, end, status, merged) => {
    const threadId = newThreadId();
    await record(server.api, started(threadId), checkpoint(threadId, 0), checkpoint(threadId, 1), end(threadId));
    expect(await latestOf(server.api, threadId)).toMatchObject({ step_index: 1, status, ...merged });
    expect(outline(await checkpointsOf(server.api, threadId))).toEqual(['run-1/0 in_progress', `run-1/1 ${status}`]);
    expect(await detailOf(server.api, threadId)).toMatchObject({ status, run_list: [{ status }] });
  });

  it('keeps in the logs what an exceeded budget was, and the error that came with it, whatever its run reports later', async () => {
    const threadId = newThreadId();
    const error = '{"spent":12345678901234567890}';
    const end = budgetExceeded(threadId, { error: 'REASON' });
    const body = JSON.stringify({ events: [checkpoint(threadId, 0), end] }).replace('"REASON"', error);
    await server.api.post(EVENTS, body);
    const stream = await EventStream.open(server.api, threadPath(threadId, '/stream'), '0');
    const isStatus = ({ event, data }: StreamedEvent) => event === 'status' && data.includes('budget_exceeded');
    await stream.until('the end', () => stream.seen.some(isStatus));
    stream.close();
    expect(stream.seen.find(isStatus)?.data).toContain(`"error":${error}`);
    const budget = { run_cost_usd: 0.02, budget_usd: 0.7 };
    await recordEach(server.api, started(threadId), otherCheckpoint(threadId, 0, ' again', budget));
    const { logs } = (await detailOf(server.api, threadId)) as { logs: Record<string, unknown>[] };
    const message = 'Budget exceeded: $0.61 of $0.50 spent';
    expect(logs).toContainEqual(expect.objectContaining({ level: 'error', message }));
  });

  it('takes an end without trace for that of the run that last made progress', async () => {
    const threadId = newThreadId();
    const second = { trace_id: 'run-2' };
    await recordEach(server.api, checkpoint(threadId, 0), started(threadId, second), checkpoint(threadId, 0, second));
    await record(server.api, { type: 'thread_completed', data: { thread_id: threadId, tokens_used: 5 } });
    expect(outline(await checkpointsOf(server.api, threadId))).toEqual(['run-1/0 in_progress', 'run-2/0 completed']);
  });

  it('takes an end without trace for that of the sub-run that its batch has just started again', async () => {
    const threadId = newThreadId();
    const sub = { trace_id: 'sub', parent_trace_id: 'run-1' };
    await record(server.api, checkpoint(threadId, 0), checkpoint(threadId, 0, sub), completed(threadId, sub));
    const end = { type: 'thread_error', data: { thread_id: threadId, error: 'away' } };
    await record(server.api, started(threadId, sub), end);
    expect(outline(await checkpointsOf(server.api, threadId))).toEqual(['run-1/0 in_progress', 'sub/0 error']);
  });

  it.each([
    [completed, 'completed'],
    [failed, 'error'],
    [budgetExceeded, 'budget_exceeded'],
  ] as const)('creates a thread that is first heard of at its end (%#)', async (end, status) => {
    const threadId = newThreadId();
    await record(server.api, end(threadId, { trace_id: undefined }));
    expect(await latestOf(server.api, threadId)).toMatchObject({ thread_id: threadId, status });
  });

  it('changes no state at a budget warning, and shows it among the logs', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0));
    const before = await latestOf(server.api, threadId);
    await record(server.api, budgetWarning(threadId));
    expect(await latestOf(server.api, threadId)).toEqual(before);
    const { logs } = (await detailOf(server.api, threadId)) as { logs: Record<string, unknown>[] };
    expect(logs).toContainEqual(expect.objectContaining({ level: 'warn', kind: 'event', trace_id: 'run-1' }));
  });
});

describe('A terminal event', () => {
  it('is a replay when it equals the one that ended the run', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0), completed(threadId));
    await expectUnchangedBy(server.api, threadId, completed(threadId));
  });

  it('is a replay when only replays of its run precede it in its batch', async () => {
    const threadId = newThreadId();
    const firstTurn = [started(threadId), checkpoint(threadId, 0), failed(threadId)];
    await record(server.api, ...firstTurn);
    await recordEach(server.api, started(threadId), otherCheckpoint(threadId, 0, ' again'), completed(threadId));
    await record(server.api, checkpoint(threadId, 0), failed(threadId));
    expect(await runStatusOf(server.api, threadId)).toBe('completed');
    expect((await latestOf(server.api, threadId)).status).toBe('completed');
  });

  it('is not lost when it comes with a retry of the checkpoint before it', async () => {
    const threadId = newThreadId();
    await record(server.api, started(threadId), checkpoint(threadId, 0));
    await record(server.api, checkpoint(threadId, 0), completed(threadId));
    expect(await runStatusOf(server.api, threadId)).toBe('completed');
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

  it.each([undefined, null, ''])('what needs no thread is saved without one: thread %j', async (thread_id) => {
    const trace = `trace-${String(thread_id)}-${newThreadId()}`;
    const warning = { type: 'budget_warning', data: { thread_id, trace_id: trace, run_cost_usd: 0.41 } };
    await record(server.api, warning, { type: 'tool_installed', data: { thread_id, tool: 'grep', trace_id: trace } });
    const warned = /"level":"warn".*"trace_id":"(.*?)".*budget warning/;
    const isWarned = () => server.process.printed.split('\n').some((line) => warned.exec(line)?.[1] === trace);
    await waitFor('the warning in the log', isWarned);
    expect((await server.api.get(`/threads?q=${trace}`)).json()).toMatchObject({ items: [] });
  });

  it('a heartbeat needs no thread and leaves no trace of its token', async () => {
    const token = 'token-of-the-agent-process';
    const data = { agent_id: 'support', endpoint: 'http://127.0.0.1:9', invoke_token: token };
    await record(server.api, { type: 'heartbeat', data });
    expect((await server.api.get('/threads?limit=200')).text).not.toContain(token);
    expect(server.process.printed).not.toContain(token);
  });
});
