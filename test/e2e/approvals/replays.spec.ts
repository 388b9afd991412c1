import { completed, started, type RunnerEvent } from '../../factories/events.js';
import { newRun, waiting, working, type RunIds } from '../../factories/waiting.js';
import { approvalsOf, decided, pendingCountOf, statusesOf } from '../../support/approvals.js';
import { checkpointsOf, detailOf, latestOf, record, recordEach } from '../../support/recording.js';
import { useSharedServer } from '../../support/shared-server.js';

const server = useSharedServer();

type Numbered = (event: RunnerEvent, number: number) => RunnerEvent;

const byText: Numbered = (event) => event;
const byId: Numbered = (event, number) => ({
  ...event,
  id: `event-${number}`,
  sequence_num: number,
  occurred_at: new Date(Date.UTC(2026, 0, 1, 0, 0, number)).toISOString(),
});

const clients = [
  ['without ids', byText],
  ['with ids and times', byId],
] as const;
const verbs = [
  ['approve', 'approved'],
  ['reject', 'rejected'],
] as const;
const cases = clients.flatMap(([client, number]) => verbs.map(([verb, status]) => ({ client, number, verb, status })));

function lifeOf(run: RunIds, number: Numbered): RunnerEvent[] {
  const start = started(run.threadId, { trace_id: run.traceId });
  return [start, working(run, 0), working(run, 1), waiting(run, 2)].map(number);
}

describe.each(cases)('After the verb $verb, a client $client', ({ number, verb, status }) => {
  let run: RunIds;
  let events: RunnerEvent[];

  async function expectStillDecided(): Promise<void> {
    const latest = await latestOf(server.api, run.threadId);
    expect(latest).toMatchObject({ step_index: 2, status, pending_tool_calls: [], approval: { status } });
    expect(await statusesOf(server.api, run.threadId)).toEqual([`2 ${status}`]);
    expect(await pendingCountOf(server.api, run.threadId)).toBe(0);
    expect(await checkpointsOf(server.api, run.threadId)).toHaveLength(3);
  }

  beforeEach(async () => {
    run = newRun();
    events = lifeOf(run, number);
    await record(server.api, ...events);
    await decided(server.api, verb, run, 2);
    await expectStillDecided();
  });

  it('that sends the waiting checkpoint again undoes nothing', async () => {
    await record(server.api, events[3]!);
    await recordEach(server.api, events[3]!, events[3]!);
    await expectStillDecided();
  });

  it('that sends an earlier step, or the same batch, again undoes nothing', async () => {
    await record(server.api, events[1]!);
    await record(server.api, ...events);
    await expectStillDecided();
  });

  it('that sends its whole history again, event by event, undoes nothing', async () => {
    await recordEach(server.api, ...events);
    await expectStillDecided();
    await recordEach(server.api, ...[...events].reverse());
    await expectStillDecided();
  });

  it('that reports the same calls with other figures gets the same decision', async () => {
    const again = waiting(run, 2, { tokens_used: 9, note: 'still waiting' });
    await record(server.api, number(again, 10));
    await expectStillDecided();
    expect(await latestOf(server.api, run.threadId)).toMatchObject({ tokens_used: 9, note: 'still waiting' });
  });

  it('that goes on, ends, and sends all of it again changes nothing more', async () => {
    const rest = [working(run, 3), completed(run.threadId, { trace_id: run.traceId })].map((event, index) =>
      number(event, 10 + index),
    );
    await record(server.api, ...rest);
    const before = await approvalsOf(server.api, run.threadId, { status: 'all' });
    await record(server.api, ...events, ...rest);
    await recordEach(server.api, events[3]!, ...rest);
    expect(await approvalsOf(server.api, run.threadId, { status: 'all' })).toEqual(before);
    expect(await latestOf(server.api, run.threadId)).toMatchObject({ step_index: 3, status: 'completed' });
    expect(await checkpointsOf(server.api, run.threadId)).toHaveLength(4);
  });
});

describe('While a person has not decided', () => {
  it('a client that starts again, and tells all it knows, goes on waiting and then goes on', async () => {
    const run = newRun();
    const events = lifeOf(run, byText);
    await record(server.api, ...events);
    await recordEach(server.api, ...events);
    expect(await pendingCountOf(server.api, run.threadId)).toBe(1);
    await decided(server.api, 'approve', run, 2);
    expect(await latestOf(server.api, run.threadId)).toMatchObject({ step_index: 2, status: 'approved' });
    await record(server.api, working(run, 3), completed(run.threadId, { trace_id: run.traceId }));
    expect(await statusesOf(server.api, run.threadId)).toEqual(['2 approved']);
    expect(await detailOf(server.api, run.threadId)).toMatchObject({
      status: 'completed',
      run_list: [{ attempts: 1, steps: 4 }],
    });
  });

  it.each(clients)('a client %s that sends everything again leaves one approval', async (_client, number) => {
    const run = newRun();
    const events = lifeOf(run, number);
    await record(server.api, ...events);
    const before = await approvalsOf(server.api, run.threadId);
    await record(server.api, ...events);
    await recordEach(server.api, ...events, events[3]!);
    expect(await approvalsOf(server.api, run.threadId, { status: 'all' })).toEqual(before);
    expect(await pendingCountOf(server.api, run.threadId)).toBe(1);
    expect(await decided(server.api, 'approve', run, 2)).toMatchObject({ status: 'approved', attempt: 1 });
  });
});
