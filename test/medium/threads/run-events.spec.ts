import { RunRetriesService } from '../../../src/modules/runners/agents/run-retries.service.js';
import { checkpoint, completed, failed, newThreadId, started } from '../../factories/events.js';
import { FakeAgent, type Invocation } from '../../fakes/fake-agent.js';
import { useClockedApp } from '../../support/clocked-app.js';
import { EventStream } from '../../support/event-stream.js';
import { problemOf } from '../../support/problem.js';
import { checkpointsOf, detailOf, EVENTS, listOf, ok, record, threadPath } from '../../support/recording.js';
import { rowsOf } from '../../support/table-contents.js';

const app = useClockedApp();
const HOUR_MS = 3_600_000;

interface RunEvent {
  type: string;
  at: string;
  by: string | null;
  through: string | null;
  reason: string | null;
  attempt: number | null;
}

interface Run extends Record<string, unknown> {
  status: string;
  attempts: number;
  duration_ms: number;
  started_at: string;
  attempt_started_at: string;
  events: RunEvent[];
}

interface Entry extends Record<string, unknown> {
  kind: string;
  message: string;
}

let agent: FakeAgent;
const open: EventStream[] = [];
beforeAll(async () => {
  agent = await FakeAgent.start('retried', () => undefined);
});
beforeEach(() => {
  agent.script = () => undefined;
  agent.beforeReply = null;
  agent.api = app.api;
});
afterEach(() => {
  for (const stream of open.splice(0)) stream.close();
});
afterAll(() => agent?.close());

function ids(threadId: string) {
  return { agent_id: agent.name, thread_id: threadId };
}

function post(threadId: string, verb: 'retry' | 'cancel', body?: object, api = app.api, traceId = 'run-1') {
  return api.post(threadPath(threadId, `/runs/${traceId}/${verb}`), body);
}

async function retried(threadId: string, body?: object): Promise<void> {
  await agent.beat();
  const answer = await post(threadId, 'retry', body);
  if (answer.status !== 202) throw new Error(`The retry was refused: ${answer.status} ${answer.text}`);
}

async function runOf(threadId: string): Promise<Run> {
  const { run_list } = (await detailOf(app.api, threadId)) as unknown as { run_list: Run[] };
  return run_list[0]!;
}

async function entriesOf(threadId: string): Promise<Entry[]> {
  const { logs } = (await detailOf(app.api, threadId)) as unknown as { logs: Entry[] };
  return logs.filter(({ kind }) => kind === 'event');
}

/** A run of two steps that has failed. */
async function failedRun(): Promise<string> {
  const threadId = newThreadId('retry');
  const own = ids(threadId);
  await record(app.api, started(threadId, own), checkpoint(threadId, 0, own), checkpoint(threadId, 1, own));
  await record(app.api, failed(threadId, own));
  return threadId;
}

describe('A retry', () => {
  it('is an event of the run, with who wanted it, why and when, and its next attempt begins then', async () => {
    const threadId = await failedRun();
    const before = await runOf(threadId);
    await app.later(HOUR_MS, async () => {
      const fromMs = app.clock.nowMs();
      await retried(threadId, { reason: ' The key is new ', decided_by: 'ada' });
      const run = await runOf(threadId);
      expect(run).toMatchObject({ status: 'in_progress', attempts: 2, silent: false });
      expect(run.events).toEqual([
        {
          type: 'retried',
          at: run.attempt_started_at,
          by: 'ada',
          through: 'machine secret',
          reason: 'The key is new',
          attempt: 2,
        },
      ]);
      expect(Date.parse(run.attempt_started_at)).toBeGreaterThanOrEqual(fromMs);
      expect(run.started_at).toBe(before.started_at);
      expect(await entriesOf(threadId)).toEqual([
        expect.objectContaining({ message: 'the model timed out' }),
        expect.objectContaining({
          ...{ ts: run.attempt_started_at, level: 'info', event: 'run_retried', by: 'ada', reason: 'The key is new' },
          ...{ message: 'The run was retried by ada: The key is new', trace_id: 'run-1', agent_id: agent.name },
        }),
      ]);
      expect((await listOf(app.api, { q: threadId })).items).toMatchObject([{ status: 'in_progress', silent: false }]);
    });
  });

  it('does not make the run longer by the pause before it, nor the thread', async () => {
    const threadId = await failedRun();
    await app.later(HOUR_MS, async () => {
      await retried(threadId);
      await record(app.api, started(threadId, ids(threadId)), checkpoint(threadId, 0, { ...ids(threadId), n: 1 }));
    });
    await app.later(HOUR_MS + 5000, () => record(app.api, completed(threadId, ids(threadId))));
    const run = await runOf(threadId);
    expect(run.attempts).toBe(2);
    expect(run.duration_ms).toBeGreaterThanOrEqual(5000);
    expect(run.duration_ms).toBeLessThan(HOUR_MS / 2);
    const { items } = await listOf(app.api, { q: threadId });
    const detail = await detailOf(app.api, threadId);
    for (const { duration_ms } of [detail, ...items]) {
      expect(duration_ms).toBeGreaterThanOrEqual(5000);
      expect(duration_ms).toBeLessThan(HOUR_MS / 2);
    }
  });

  it.each([
    ['begins its steps anew', 0, [1, 1, 2]],
    ['goes on with its steps', 2, [1, 1, 1]],
  ])('counts as one attempt where the program %s', async (_, step, attempts) => {
    const threadId = await failedRun();
    await retried(threadId);
    const { attempt_started_at: at } = await runOf(threadId);
    const own = { ...ids(threadId), run: 2 };
    await record(app.api, started(threadId, own), checkpoint(threadId, step, own), checkpoint(threadId, step + 1, own));
    expect(await runOf(threadId)).toMatchObject({ attempts: 2, attempt_started_at: at });
    const steps = ok(await app.api.get(threadPath(threadId, '/steps'))).json<{ items: { attempt: number }[] }>();
    expect(steps.items.map(({ attempt }) => attempt).slice(0, 3)).toEqual(attempts);
  });

  it('counts also where the program says nothing but that it failed, and each retry once', async () => {
    const threadId = await failedRun();
    for (const attempts of [2, 3]) {
      await retried(threadId);
      await record(
        app.api,
        started(threadId, ids(threadId)),
        failed(threadId, { ...ids(threadId), error: `${attempts}` }),
      );
      expect(await runOf(threadId)).toMatchObject({ attempts, status: 'error' });
    }
    await retried(threadId);
    await record(app.api, started(threadId, ids(threadId)), checkpoint(threadId, 0, { ...ids(threadId), last: true }));
    expect(await runOf(threadId)).toMatchObject({ attempts: 4, status: 'in_progress' });
    expect((await runOf(threadId)).events.map(({ attempt }) => attempt)).toEqual([2, 3, 4]);
    expect((await checkpointsOf(app.api, threadId)).map(({ step_index }) => step_index)).toEqual([0, 1, 0]);
  });

  it.each([
    ['has begun', (threadId: string) => [started(threadId, ids(threadId))], 'in_progress'],
    [
      'has ended again',
      (threadId: string) => [
        started(threadId, ids(threadId)),
        checkpoint(threadId, 0, { ...ids(threadId), again: true }),
        completed(threadId, ids(threadId)),
      ],
      'completed',
    ],
    [
      'has failed again',
      (threadId: string) => [started(threadId, ids(threadId)), failed(threadId, { error: 2 })],
      'error',
    ],
  ])('is kept, and changes nothing else, where the program %s before the agent answers', async (_, events, status) => {
    const threadId = await failedRun();
    agent.beforeReply = ({ threadId: own }: Invocation) => agent.report(...events(own));
    await retried(threadId, { decided_by: 'ada' });
    expect(await runOf(threadId)).toMatchObject({ status, attempts: 2, events: [{ type: 'retried', attempt: 2 }] });
    agent.beforeReply = null;
    await record(app.api, checkpoint(threadId, 9, { ...ids(threadId), n: 2 }));
    expect((await runOf(threadId)).attempts).toBe(2);
  });

  it('that is asked for again keeps the end that the run has reached meanwhile', async () => {
    const threadId = await failedRun();
    const thread = (await rowsOf(app.storage, 'thread')).find(({ id }) => id === threadId)!;
    const again = checkpoint(threadId, 0, { ...ids(threadId), again: true });
    await record(app.api, started(threadId, ids(threadId)), again, completed(threadId, ids(threadId)));
    await agent.beat();
    const retry = { threadId, traceId: 'run-1', agentId: agent.name, key: 'again', sinceSeq: Number(thread.last_seq) };
    const retries = app.app.get(RunRetriesService, { strict: false });
    const taken = await retries.askAgain(retry, new AbortController().signal);
    expect(taken).toMatchObject({ kind: 'started', runId: 'run-1' });
    expect(await runOf(threadId)).toMatchObject({ status: 'completed', attempts: 2, events: [{ type: 'retried' }] });
  });

  it('is none where the agent does not take the run', async () => {
    const threadId = await failedRun();
    await agent.beat();
    agent.mishaps.push(409);
    problemOf(await post(threadId, 'retry', { reason: 'once more' }), 409);
    expect(await runOf(threadId)).toMatchObject({ status: 'error', attempts: 1, events: [] });
  });

  it('of a cancelled run is taken for no report of the program that was cancelled', async () => {
    const threadId = await failedRun();
    const own = ids(threadId);
    await record(app.api, started(threadId, own), checkpoint(threadId, 2, own));
    expect((await post(threadId, 'cancel')).status).toBe(200);
    await retried(threadId);
    expect(await runOf(threadId)).toMatchObject({ status: 'in_progress', attempts: 2 });
    expect((await post(threadId, 'cancel', { decided_by: 'eve' })).status).toBe(200);
    expect((await runOf(threadId)).events).toMatchObject([
      { type: 'cancelled', by: null, attempt: 1 },
      { type: 'retried', by: null, attempt: 2 },
      { type: 'cancelled', by: 'eve', attempt: 2 },
    ]);
  });

  it('that a person cancels before it starts stays cancelled, also if the clock of its process is ahead', async () => {
    const threadId = await failedRun();
    const queued_at = new Date(app.clock.nowMs() + HOUR_MS).toISOString();
    const start = () => {
      const { retrySince: retry_since } = agent.runs.at(-1)!;
      return app.api.post(EVENTS, { events: [started(threadId, { ...ids(threadId), queued_at, retry_since })] });
    };
    await retried(threadId);
    expect((await post(threadId, 'cancel')).status).toBe(200);
    expect((await start()).json()).toMatchObject({ saved: 1, control: [{ trace_id: 'run-1', action: 'cancel' }] });
    expect(await runOf(threadId)).toMatchObject({ status: 'cancelled', attempts: 2 });
    await retried(threadId);
    expect((await start()).json()).toEqual({ saved: 1, rejected: [] });
    expect(await runOf(threadId)).toMatchObject({ status: 'in_progress', attempts: 3 });
  });

  it('comes over the stream of the thread as it happens, and to who comes back', async () => {
    const threadId = await failedRun();
    const stream = await EventStream.open(app.api, threadPath(threadId, '/stream'));
    open.push(stream);
    await stream.until('its beginning', ({ lastId }) => lastId !== null);
    const from = stream.lastId!;
    await retried(threadId, { reason: 'why', decided_by: 'ada' });
    await post(threadId, 'cancel', { reason: 'enough', decided_by: 'bob' });
    const back = await EventStream.open(app.api, threadPath(threadId, '/stream', { last_event_id: from }));
    open.push(back);
    for (const told of [stream, back]) {
      await told.until('the end', ({ seen }) => seen.filter(({ event }) => event === 'log').length >= 2);
      const events = told.seen.filter(({ event }) => event === 'retry' || event === 'status');
      const data = events.map((one) => ({ event: one.event, ...(JSON.parse(one.data) as object) }));
      const run = { thread_id: threadId, trace_id: 'run-1', agent_id: agent.name };
      expect(data).toMatchObject([
        { event: 'retry', ...run, attempt: 2, by: 'ada', through: 'machine secret', reason: 'why' },
        { event: 'status', ...run, status: 'in_progress' },
        { event: 'status', ...run, status: 'cancelled', by: 'bob', reason: 'enough', error: null },
      ]);
    }
  });

  it.each([
    ['reason', 7],
    ['reason', 'a'.repeat(4001)],
    ['decided_by', ['ada']],
    ['decided_by', 'a\u0000b'],
    ['decided_by', 'a'.repeat(513)],
  ])('is refused with a bad %s', async (name, value) => {
    const threadId = await failedRun();
    await agent.beat();
    for (const verb of ['retry', 'cancel'] as const) {
      expect(problemOf(await post(threadId, verb, { [name]: value }), 400)).toMatchObject({ errors: [{ path: name }] });
    }
    expect(await runOf(threadId)).toMatchObject({ status: 'error', events: [] });
  });
});

describe('A cancellation', () => {
  it('is an event of each run that it ends, with who wanted it and why', async () => {
    const threadId = newThreadId('cancel');
    const child = { trace_id: 'run-2', parent_trace_id: 'run-1', agent_id: 'researcher' };
    await record(app.api, checkpoint(threadId, 0), checkpoint(threadId, 0, child));
    const { api } = await app.tokenOf('admin', { name: 'night watch' });
    expect((await post(threadId, 'cancel', { reason: 'wrong customer' }, api)).status).toBe(200);
    const { run_list } = (await detailOf(app.api, threadId)) as unknown as { run_list: Run[] };
    const event = { type: 'cancelled', by: null, through: 'night watch', reason: 'wrong customer', attempt: 1 };
    expect(run_list.map(({ events }) => events)).toMatchObject([[event], [event]]);
    expect(run_list[0]).not.toHaveProperty('cancelled_by');
    expect((await entriesOf(threadId)).map(({ message }) => message)).toEqual([
      'The run was cancelled: wrong customer',
      'The run was cancelled: wrong customer',
    ]);
  });

  it('names who wanted it in the run', async () => {
    const threadId = newThreadId('cancel');
    await record(app.api, checkpoint(threadId, 0));
    await post(threadId, 'cancel', { decided_by: 'ada' });
    expect(await runOf(threadId)).toMatchObject({ status: 'cancelled', cancelled_by: 'ada' });
  });

  it('is never what an agent reports', async () => {
    const threadId = newThreadId('forged');
    const data = { thread_id: threadId, trace_id: 'run-1', by: 'admin', reason: 'trust me' };
    await record(app.api, checkpoint(threadId, 0), { type: 'run_cancelled', data }, { type: 'run_retried', data });
    for (const entry of await entriesOf(threadId)) expect(entry).not.toHaveProperty('event');
    expect((await runOf(threadId)).events).toEqual([]);
  });
});
