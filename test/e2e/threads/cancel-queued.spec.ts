import { randomInt } from 'node:crypto';
import { completed, failed, started } from '../../factories/events.js';
import { newRun, waiting, working, type RunIds } from '../../factories/waiting.js';
import { decide } from '../../support/approvals.js';
import { cancel } from '../../support/cancel.js';
import { detailOf, EVENTS, latestOf, ok, record, threadPath } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';

// Times without a zone are in UTC, wherever the server is.
const server = useServer({ env: { TZ: 'Asia/Tokyo' } });

const CANCEL = (threadId: string, traceId = 'run-1') => ({ thread_id: threadId, trace_id: traceId, action: 'cancel' });

async function runsOf(threadId: string): Promise<string[]> {
  const { run_list: runs } = (await detailOf(server.api, threadId)) as { run_list: Record<string, string>[] };
  return runs.map(({ trace_id, status }) => `${trace_id} ${status}`);
}

describe("Cancelling a run that waits in its agent's process", () => {
  const QUEUED_AT = '2026-11-20T09:30:00.250Z';
  const queuedRun = ({ threadId, traceId }: RunIds, queued_at = QUEUED_AT) => ({
    thread_id: threadId,
    trace_id: traceId,
    queued_at,
  });
  const retriedRun = (run: RunIds, queued_at?: string) => ({ ...queuedRun(run, queued_at), kind: 'retry' });
  const beat = async (queued_runs: unknown[], data: object = {}, api = server.api) => {
    const beats = { type: 'heartbeat', data: { agent_id: 'support', process_id: 'process-1', queued_runs, ...data } };
    const answer = await api.post(EVENTS, { events: [beats] });
    expect([answer.status, answer.json()]).toMatchObject([200, { saved: 1 }]);
    return answer.json().control as object[] | undefined;
  };
  const queueOf = async (agentId = 'support') => {
    const { items } = (await server.api.get('/v1/agents')).json<{ items: Record<string, unknown>[] }>();
    return items.find(({ agent_id }) => agent_id === agentId)?.queued_runs as Record<string, string>[];
  };
  const start = ({ threadId, traceId }: RunIds, queued_at?: string) =>
    started(threadId, { trace_id: traceId, ...(queued_at && { queued_at }) });

  it('gives it its place in a thread of its own, with the reason, and its start changes nothing', async () => {
    const run = newRun('queued');
    const order = { ...CANCEL(run.threadId, run.traceId), reason: 'too late' };
    expect(await beat([queuedRun(run)])).toBeUndefined();
    expect(await queueOf()).toEqual([queuedRun(run)]);
    const path = threadPath(run.threadId, `/runs/${run.traceId}/cancel`);
    const answer = await server.api.post(path, { reason: 'too late' });
    expect([answer.status, answer.json()]).toMatchObject([200, { agent_id: 'support', status: 'cancelled' }]);
    expect((await server.api.post(path, { reason: 'another' })).json()).toEqual(answer.json());
    expect(await queueOf()).toEqual([]);
    // Repeated until the process has received it.
    for (const _ of [1, 2]) expect(await beat([queuedRun(run)])).toEqual([order]);
    await server.restart();
    expect(await beat([queuedRun(run)])).toEqual([order]);
    const late = await server.api.post(EVENTS, { events: [start(run, QUEUED_AT)] });
    expect(late.json()).toMatchObject({ control: [order] });
    expect(await detailOf(server.api, run.threadId)).toMatchObject({
      status: 'cancelled',
      run_list: [{ status: 'cancelled', cancel_reason: 'too late', attempts: 1 }],
    });
    expect(await beat([])).toBeUndefined();
    await record(server.api, start(run, '2026-11-20T09:31:00.000Z'));
    expect(await runsOf(run.threadId)).toEqual([`${run.traceId} in_progress`]);
  });

  it('may be named with a time of any kind that events may have', async () => {
    const queued_at = '2026-11-20T09:30:00.250Z';
    for (const time of ['2026-11-20T09:30:00.250', Date.parse(queued_at), '2026-11-20T10:30:00.250+01:00']) {
      const run = newRun('queued');
      const triggers = [{ id: 'triggers[0]', type: 'schedule', next: [time] }];
      await beat([{ ...queuedRun(run), queued_at: time }], { triggers });
      expect(await queueOf()).toEqual([queuedRun(run)]);
      const { items } = (await server.api.get('/v1/agents')).json<{ items: { triggers: { next: string[] }[] }[] }>();
      expect(items[0]!.triggers[0]!.next).toEqual([queued_at]);
      await cancel(server.api, run.threadId, run.traceId);
      const start = started(run.threadId, { trace_id: run.traceId, queued_at: time });
      ok(await server.api.post(EVENTS, { events: [start] }));
      expect(await runsOf(run.threadId)).toEqual([`${run.traceId} cancelled`]);
      await beat([]);
    }
  });

  it('leaves alone what waits for a person in its thread, which goes on showing that', async () => {
    const first = newRun('queued');
    await record(server.api, working(first, 0), waiting(first, 1));
    const second = { ...first, traceId: `${first.traceId}-second` };
    await beat([queuedRun(second)]);
    expect((await cancel(server.api, first.threadId, second.traceId)).status).toBe(200);
    expect(await runsOf(first.threadId)).toEqual([
      `${first.traceId} waiting_for_approval`,
      `${second.traceId} cancelled`,
    ]);
    expect(await detailOf(server.api, first.threadId)).toMatchObject({ status: 'waiting_for_approval' });
    expect((await decide(server.api, 'approve', first, 1)).status).toBe(200);
  });

  it('leaves the thread to the run of a bound token that it shows, which goes on', async () => {
    const first = newRun('queued');
    const made = await server.api.post('/v1/tokens', { scope: 'runner', agent_ids: ['billing'] });
    const bound = server.api.as(made.json<{ token: string }>().token);
    await record(bound, working(first, 0, { agent_id: 'billing' }));
    const second = { ...first, traceId: `${first.traceId}-second` };
    await beat([queuedRun(second)]);
    expect((await cancel(server.api, first.threadId, second.traceId)).status).toBe(200);
    expect(await detailOf(server.api, first.threadId)).toMatchObject({ status: 'in_progress' });
    await record(bound, waiting(first, 1, { agent_id: 'billing' }));
    const late = await server.api.post(EVENTS, { events: [start(second, QUEUED_AT)] });
    expect(late.json()).toMatchObject({ control: [CANCEL(second.threadId, second.traceId)] });
    expect(await detailOf(server.api, first.threadId)).toMatchObject({ status: 'waiting_for_approval' });
    await record(bound, working(first, 2, { agent_id: 'billing' }));
    expect(await detailOf(server.api, first.threadId)).toMatchObject({ status: 'in_progress', step_index: 2 });
    await beat([]);
    // Once the agent reports here with an unbound token, the thread is its own.
    await record(server.api, start(second, '2026-11-20T09:31:00.000Z'), working(second, 0));
    expect(await latestOf(server.api, first.threadId)).toMatchObject({ trace_id: second.traceId });
    await record(bound, working(first, 3, { agent_id: 'billing' }));
    expect(await latestOf(server.api, first.threadId)).toMatchObject({ trace_id: second.traceId });
  });

  it('that a person retries ends it once more, also one that was cancelled before', async () => {
    const run = newRun('queued');
    await record(server.api, working(run, 0), failed(run.threadId, { trace_id: run.traceId }));
    for (const queuedAt of [QUEUED_AT, '2026-11-20T09:40:00.000Z']) {
      await beat([retriedRun(run, queuedAt)]);
      expect((await cancel(server.api, run.threadId, run.traceId)).status).toBe(200);
      const late = await server.api.post(EVENTS, { events: [start(run, queuedAt)] });
      expect(late.json()).toMatchObject({ saved: 1, control: [CANCEL(run.threadId, run.traceId)] });
      expect(await runsOf(run.threadId)).toEqual([`${run.traceId} cancelled`]);
      expect(await beat([retriedRun(run, queuedAt)])).toEqual([CANCEL(run.threadId, run.traceId)]);
    }
  });

  it.each(['new', 'recovered', undefined, 'of a later version'])(
    'leaves its end as it was where its process does not know of it yet (%s)',
    async (kind) => {
      const run = newRun('queued');
      await record(server.api, start(run, QUEUED_AT), completed(run.threadId, { trace_id: run.traceId }));
      await beat([{ ...queuedRun(run), kind }]);
      const answer = await cancel(server.api, run.threadId, run.traceId);
      expect([answer.status, answer.json()]).toMatchObject([409, { code: 'run_ended' }]);
      expect(await runsOf(run.threadId)).toEqual([`${run.traceId} completed`]);
    },
  );

  it('counts, too, for the start of one at work that its process is about to take up again', async () => {
    const run = newRun('queued');
    await record(server.api, start(run, QUEUED_AT), working(run, 0));
    await beat([queuedRun(run)]);
    await beat([{ ...queuedRun(run), kind: 'recovered' }]);
    expect((await cancel(server.api, run.threadId, run.traceId)).status).toBe(200);
    const late = await server.api.post(EVENTS, { events: [start(run, QUEUED_AT), working(run, 1)] });
    expect(late.json()).toMatchObject({ saved: 2, control: [CANCEL(run.threadId, run.traceId)] });
    expect(await runsOf(run.threadId)).toEqual([`${run.traceId} cancelled`]);
    await record(server.api, start(run, '2026-11-20T09:50:00.000Z'), working(run, 2));
    expect(await runsOf(run.threadId)).toEqual([`${run.traceId} in_progress`]);
  });

  it('counts, too, for the start of one whose process was killed and has not yet said that it takes it up again', async () => {
    const run = newRun('queued');
    const at = (seconds: number) => new Date(Date.parse(QUEUED_AT) + 1_000 * seconds).toISOString();
    const startAt = (seconds: number, queuedAt = QUEUED_AT) => ({ ...start(run, queuedAt), occurred_at: at(seconds) });
    await record(server.api, startAt(1), working(run, 0), startAt(2));
    for (const seconds of [3, 4]) {
      expect((await cancel(server.api, run.threadId, run.traceId)).status).toBe(200);
      const late = await server.api.post(EVENTS, { events: [startAt(seconds), working(run, seconds)] });
      expect(late.json()).toMatchObject({ saved: 2, control: [CANCEL(run.threadId, run.traceId)] });
      expect(await runsOf(run.threadId)).toEqual([`${run.traceId} cancelled`]);
      if (seconds === 3) await server.restart();
    }
    await record(server.api, startAt(6, at(5)));
    expect(await runsOf(run.threadId)).toEqual([`${run.traceId} in_progress`]);
    // The run accepted again has not reported a step yet.
    expect((await cancel(server.api, run.threadId, run.traceId)).status).toBe(200);
    const late = await server.api.post(EVENTS, { events: [startAt(7, at(5))] });
    expect(late.json()).toMatchObject({ control: [CANCEL(run.threadId, run.traceId)] });
    expect(await runsOf(run.threadId)).toEqual([`${run.traceId} cancelled`]);
  });

  it('is told once more of a retry whose kind its process tells later, and not of a run that it accepts again', async () => {
    const run = newRun('queued');
    await beat([queuedRun(run)]);
    expect((await cancel(server.api, run.threadId, run.traceId)).status).toBe(200);
    expect(await beat([{ ...queuedRun(run), kind: 'new' }])).toEqual([CANCEL(run.threadId, run.traceId)]);
    expect(await beat([retriedRun(run, '2026-11-20T09:40:00.000Z')])).toBeUndefined();
  });

  it('is one of a run that has begun, or ended, as soon as that is known', async () => {
    const [begun, ended] = [newRun('queued'), newRun('queued')];
    await beat([queuedRun(begun), queuedRun(ended)]);
    await record(
      server.api,
      start(begun, QUEUED_AT),
      start(ended, QUEUED_AT),
      completed(ended.threadId, { trace_id: ended.traceId }),
    );
    expect((await cancel(server.api, begun.threadId, begun.traceId)).status).toBe(200);
    expect((await cancel(server.api, ended.threadId, ended.traceId)).json()).toMatchObject({ code: 'run_ended' });
    expect(await runsOf(ended.threadId)).toEqual([`${ended.traceId} completed`]);
  });

  it('cancels it wherever it waits, and no start of it is in time', async () => {
    const run = newRun('queued');
    const order = CANCEL(run.threadId, run.traceId);
    const again = '2026-11-20T09:40:00.000Z';
    const waits = [
      { queued_at: QUEUED_AT, process_id: 'process-1', agent_id: 'support' },
      { queued_at: again, process_id: 'process-2', agent_id: 'support' },
      { queued_at: again, process_id: 'process-3', agent_id: 'research' },
    ];
    for (const { queued_at, ...sender } of waits) await beat([queuedRun(run, queued_at)], sender);
    expect((await cancel(server.api, run.threadId, run.traceId)).status).toBe(200);
    const cancelled = [`${run.traceId} cancelled`, `${run.traceId} cancelled`];
    expect(await runsOf(run.threadId)).toEqual(cancelled);
    for (const { queued_at, ...sender } of waits) {
      expect(await beat([queuedRun(run, queued_at)], sender)).toEqual([order]);
      const { agent_id } = sender;
      const late = started(run.threadId, { trace_id: run.traceId, agent_id, queued_at });
      expect((await server.api.post(EVENTS, { events: [late] })).json()).toMatchObject({ control: [order] });
      expect(await runsOf(run.threadId)).toEqual(cancelled);
      await beat([], sender);
    }
  });

  it('may have ids as long as ids may be', async () => {
    // Text that no database can compress.
    const longId = () => String.fromCodePoint(...Array.from({ length: 512 }, () => 0x20000 + randomInt(0xa000)));
    const run = { threadId: longId(), traceId: longId() };
    const sender = { agent_id: longId(), process_id: '~'.repeat(100) };
    await beat([queuedRun(run)], sender);
    expect(await queueOf(sender.agent_id)).toEqual([queuedRun(run)]);
    expect((await cancel(server.api, run.threadId, run.traceId)).status).toBe(200);
    expect(await beat([queuedRun(run)], sender)).toEqual([CANCEL(run.threadId, run.traceId)]);
    for (const process_id of ['~'.repeat(101), 'é', '', 'a b']) {
      const beats = { type: 'heartbeat', data: { agent_id: 'support', process_id, queued_runs: [] } };
      const answer = await server.api.post(EVENTS, { events: [beats] });
      expect([answer.status, answer.json()]).toMatchObject([400, { errors: [{ path: 'events[0].data.process_id' }] }]);
    }
  });

  it('knows the queues of several processes, and takes in nothing that could not be a run', async () => {
    const [one, two] = [newRun('queued'), newRun('queued')];
    await beat([
      queuedRun(one),
      { ...queuedRun(one), thread_id: '..' },
      { ...queuedRun(one), queued_at: 5 },
      'x',
      queuedRun(one),
    ]);
    await beat([queuedRun(two)], { process_id: 'process-2' });
    const waits = async () => (await queueOf()).map(({ trace_id }) => trace_id).sort();
    expect(await waits()).toEqual([one.traceId, two.traceId].sort());
    await beat([]);
    expect(await waits()).toEqual([two.traceId]);
    expect((await cancel(server.api, two.threadId, one.traceId)).status).toBe(404);
    await beat([], { process_id: 'process-2' });
    expect(await waits()).toEqual([]);
  });
});
