import { randomUUID } from 'node:crypto';
import { NoDecisionError } from '../../../src/client/pending-call-tracker.js';
import { StepReporter, WaystationApi, type RunnersApi } from '../../../src/client/api/waystation-api.js';
import { newThreadId } from '../../factories/events.js';
import { useServer } from '../../support/test-server.js';

const server = useServer();
let api: WaystationApi;
/** The run of a graph that another run has called. */
let run: { thread_id: string; trace_id: string; agent_id: string; parent_trace_id: string };

beforeEach(() => {
  api = new WaystationApi({ apiUrl: server.api.baseUrl, token: server.api.token });
  run = { thread_id: newThreadId(), trace_id: 'graph', agent_id: 'support', parent_trace_id: 'caller' };
});

/** As an agent process does, including for a retry. */
async function startRun(trace_id: string, parent_trace_id: string | null = null): Promise<void> {
  const data = { thread_id: run.thread_id, trace_id, agent_id: 'support', parent_trace_id };
  await api.runners.report([{ type: 'thread_started', id: randomUUID(), data }]);
}

/** Takes over the graph like another process; its task asks one question or none. */
async function takeUp(open = true, runners: Pick<RunnersApi, 'report' | 'latest' | 'eachRun'> = api.runners) {
  const reporter = new StepReporter(runners);
  reporter.note(run, '1', 'task', open ? [{ id: 'a', name: 'refund', args: 5 }] : []);
  await reporter.takeUp(run, '1', []);
}

async function asked(): Promise<string[]> {
  const { items } = await api.approvals.list({ thread_id: run.thread_id, trace_id: 'graph' });
  return items.flatMap(({ tool_calls }) => tool_calls.map(({ id }) => `${id}`));
}

async function beginGraph(): Promise<void> {
  await new StepReporter(api.runners).step(run, '1', { history: [] });
  await takeUp();
}

const cancel = (trace_id: string) => api.runs.cancel({ thread_id: run.thread_id, trace_id });

describe('A reporter that goes on with a run', () => {
  it('asks again also where what began it again asked nobody', async () => {
    await startRun('caller');
    await beginGraph();
    await cancel('caller');
    await startRun('caller');
    await startRun('graph', 'caller');
    for (let time = 0; time < 2; time += 1) {
      await takeUp();
      expect(await asked()).toEqual(['a']);
    }
  });

  it('begins it again and asks in one report', async () => {
    await startRun('caller');
    await beginGraph();
    await cancel('caller');
    await startRun('caller');
    const sent: string[][] = [];
    const { runners } = api;
    await takeUp(true, {
      latest: (...given) => runners.latest(...given),
      eachRun: (...given) => runners.eachRun(...given),
      report: (events) => (sent.push(events.map(({ type }) => type)), runners.report(events)),
    });
    expect([sent, await asked()]).toEqual([[['thread_started', 'checkpoint']], ['a']]);
  });

  it.each([true, false])('begins it again each time that its caller is retried; open questions: %s', async (open) => {
    await startRun('caller');
    await new StepReporter(api.runners).step(run, '1', { history: [] });
    for (let time = 0; time < 3; time += 1) {
      await takeUp(open);
      expect(await asked()).toEqual(open ? ['a'] : []);
      const latest = await api.runners.latest(run.thread_id, { trace_id: 'graph' });
      expect(latest?.status).toBe(open ? 'waiting_for_approval' : 'in_progress');
      await cancel('caller');
      await expect(takeUp(open)).rejects.toThrow(NoDecisionError);
      await startRun('caller');
    }
    await takeUp(open);
    await cancel('graph');
    await expect(takeUp(open)).rejects.toThrow(NoDecisionError);
  });

  it('begins it again where a person has retried a run between it and the cancelled one', async () => {
    await startRun('a');
    await startRun('b', 'a');
    await startRun('caller', 'b');
    await startRun('beside', 'a');
    await beginGraph();
    await cancel('a');
    await startRun('beside', 'a');
    await expect(takeUp()).rejects.toThrow(NoDecisionError);
    await startRun('b', 'a');
    await takeUp();
    expect(await asked()).toEqual(['a']);
  });
});

it('asks a question whose arguments are too long for the server, and shows their beginning', async () => {
  const reporter = new StepReporter(api.runners);
  const args = { question: 'Publish it?', text: 'ü'.repeat(70_000) };
  const questions = [{ text: 'Publish it?', options: [{ label: 'Yes' }, { label: 'No' }] }];
  reporter.note(run, '1', 'task', [{ id: 'a', name: 'ask', args, questions }]);
  await reporter.step(run, '1', { history: [] });
  const { items } = await api.approvals.list({ thread_id: run.thread_id });
  expect(items).toMatchObject([{ status: 'pending', tool_calls: [{ id: 'a', questions: [{ text: 'Publish it?' }] }] }]);
  expect(items[0]!.tool_calls[0]!.args).toMatch(
    /^\{"question":"Publish it\?","text":"ü{3900,}… \(shortened from 70036 characters\)$/,
  );
});
