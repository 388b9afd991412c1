import { isVerifiedWith, NoticeReceiver, type ReceivedNotice } from '../../fakes/notice-receiver.js';
import {
  budgetExceeded,
  budgetWarning,
  checkpoint,
  completed,
  failed,
  newThreadId,
  started,
  type RunnerEvent,
} from '../../factories/events.js';
import { newRun, waiting } from '../../factories/waiting.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { MovableClock } from '../../support/movable-clock.js';
import { createNotice, deliveriesOf, NOTICES } from '../../support/notices.js';
import { EVENTS, ok, record, threadPath } from '../../support/recording.js';
import { waitFor } from '../../support/wait.js';

const clock = new MovableClock();
let server: InProcessApp;
let receiver: NoticeReceiver;
let notice: { id: string; secret: string };

beforeAll(async () => {
  receiver = await NoticeReceiver.start();
  server = await startApp({ clock });
  notice = await createNotice(server.api, receiver.url);
});
afterAll(async () => {
  await server?.stop();
  await receiver?.close();
});

/** Reports the events, ends another run and waits for its delivery: by then earlier deliveries are stored. */
async function toldUpTo(...events: RunnerEvent[]): Promise<string[]> {
  await record(server.api, ...events);
  return told(String(events[0]!.data.thread_id));
}

async function told(threadId: string): Promise<string[]> {
  const last = newThreadId();
  await record(server.api, started(last), completed(last));
  await waitFor('the news', () => receiver.of(last).length > 0);
  await waitFor('all to be sent', async () => (await deliveriesOf(server.api, notice.id, 'waiting')).length === 0);
  return receiver.of(threadId).map(({ event }) => event.type);
}

describe('A notice', () => {
  it.each<[string, (id: string) => RunnerEvent[], string[]]>([
    ['the end of a run', (id) => [started(id), completed(id)], ['run_completed']],
    ['a failure', (id) => [started(id), failed(id)], ['run_failed']],
    ['an exceeded budget', (id) => [started(id), budgetExceeded(id)], ['run_budget_exceeded']],
    ['a budget warning', (id) => [started(id), checkpoint(id, 0), budgetWarning(id)], ['budget_warning']],
    ['a checkpoint that warns', (id) => [started(id), checkpoint(id, 0, { budget_warning: true })], ['budget_warning']],
    ['an end without a start', (id) => [completed(id)], ['run_completed']],
    ['an end that a checkpoint reports', (id) => [checkpoint(id, 0, { status: 'completed' })], ['run_completed']],
    ['that end only once', (id) => [checkpoint(id, 0, { status: 'completed' }), completed(id)], ['run_completed']],
    [
      'one warning in an attempt',
      (id) => [started(id), checkpoint(id, 0, { budget_warning: true }), budgetWarning(id)],
      ['budget_warning'],
    ],
    [
      'two ends of a run that was started again',
      (id) => [started(id), failed(id), started(id), checkpoint(id, 0), completed(id)],
      ['run_completed', 'run_failed'],
    ],
    ['nothing of a run that goes on', (id) => [started(id), checkpoint(id, 0)], []],
    [
      'nothing of the end of a run with a parent',
      (id) => [
        started(id),
        started(id, { trace_id: 'sub', parent_trace_id: 'run-1' }),
        completed(id, { trace_id: 'sub' }),
      ],
      [],
    ],
  ])('tells %s', async (_what, events, types) => {
    expect((await toldUpTo(...events(newThreadId()))).sort()).toEqual(types);
  });

  it('tells an approval with the names of the tools, without their arguments', async () => {
    const run = newRun();
    expect(await toldUpTo(waiting(run, 0))).toEqual(['approval_waiting']);
    const [call] = receiver.of(run.threadId);
    expect(call!.body).not.toMatch(/4711|answer 0/);
    expect(call!.event.data).toMatchObject({
      ...{ thread_id: run.threadId, trace_id: run.traceId, agent_id: 'support', status: 'waiting_for_approval' },
      ...{ step_index: 0, tools: ['issue_refund'], opened_at: expect.stringMatching(/Z$/) },
      url: expect.stringMatching(new RegExp(`^http://127.0.0.1:\\d+/console/threads/${run.threadId}$`)),
    });
  });

  it('tells figures and the beginning of the error, and nothing of the conversation', async () => {
    const id = newThreadId();
    await toldUpTo(started(id), checkpoint(id, 1), failed(id, { error: { message: 'x'.repeat(600) } }));
    const [call] = receiver.of(id);
    expect(call!.event).toEqual({
      ...{ type: 'run_failed', timestamp: expect.stringMatching(/Z$/) },
      data: expect.objectContaining({
        tokens_used: 200,
        run_cost_usd: 0.02,
        error: `${'x'.repeat(499)}…`,
        step_index: 1,
      }),
    });
    expect(call!.body).not.toContain('question 0');
  });

  it('is signed, with an id that every ending has of its own', async () => {
    const calls = receiver.calls;
    expect(calls.every((call) => isVerifiedWith(notice.secret, call))).toBe(true);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
  });

  it('is not told replays', async () => {
    const id = newThreadId();
    const [start, step, end] = [started(id), checkpoint(id, 0), completed(id)];
    expect(await toldUpTo(start, step, end)).toEqual(['run_completed']);
    expect(await toldUpTo(start, step, end)).toEqual(['run_completed']);
    expect(await toldUpTo(end)).toEqual(['run_completed']);
    expect(await toldUpTo(start)).toEqual(['run_completed']);
  });

  it('is not told that a person has cancelled a run', async () => {
    const id = newThreadId();
    await record(server.api, started(id));
    ok(await server.api.post(threadPath(id, '/runs/run-1/cancel'), {}));
    ok(await server.api.post(EVENTS, { events: [completed(id)] }));
    expect(await told(id)).toEqual([]);
  });

  it('gets only its events and its agent, with its sub-agents', async () => {
    const own = await createNotice(server.api, receiver.url, { events: ['run_failed'], agent_id: 'own' });
    const ids = ['own', 'own:sub', 'owner', 'support'].map((agent_id) => ({ agent_id, id: newThreadId() }));
    for (const { agent_id, id } of ids) await record(server.api, started(id, { agent_id }), failed(id, { agent_id }));
    const done = newThreadId();
    await record(server.api, started(done, { agent_id: 'own' }), completed(done, { agent_id: 'own' }));
    const told = (await deliveriesOf(server.api, own.id)).map(({ thread_id }) => thread_id);
    expect(told.sort()).toEqual([ids[0]!.id, ids[1]!.id].sort());
    await server.api.delete(`${NOTICES}/${own.id}`);
  });

  it('is taken for genuine with either secret for a day after the secret was renewed', async () => {
    const { secret } = ok(await server.api.post(`${NOTICES}/${notice.id}/secret`)).json<{ secret: string }>();
    const verified = (call: Omit<ReceivedNotice, 'event'>, atMs?: number) =>
      [secret, notice.secret].map((known) => isVerifiedWith(known, call, atMs));
    const id = newThreadId('Grüße, 世界 🙂');
    await toldUpTo(started(id), completed(id));
    const [call] = receiver.of(id);
    expect(verified(call!)).toEqual([true, true]);
    expect(verified({ ...call!, body: call!.body.replace('"', "'") })).toEqual([false, false]);
    expect(verified({ ...call!, id: `${call!.id}x` })).toEqual([false, false]);
    expect(verified(call!, Date.now() + 301_000)).toEqual([false, false]);
    clock.aheadMs += 24 * 3_600_000;
    const test = ok(await server.api.post(`${NOTICES}/${notice.id}/test`)).json<Record<string, unknown>>();
    expect(test).toMatchObject({ delivered: true, status: 204, error: null });
    expect(verified(receiver.calls.at(-1)!, clock.nowMs())).toEqual([true, false]);
    expect(receiver.calls.at(-1)!.signatures).toHaveLength(1);
  });
});
