import { newThreadId } from '../../factories/events.js';
import { MAIL, newRun, toolCall, waiting, working, type RunIds } from '../../factories/waiting.js';
import { approvalOf, decided, type Approval } from '../../support/approvals.js';
import { EventStream } from '../../support/event-stream.js';
import { EVENTS, ok, record, threadPath } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';

const server = useServer();

/** A stream's events about a thread: `opened 1 pending`. */
function toldOf({ seen }: EventStream, { threadId }: RunIds): string[] {
  return seen
    .map(({ event, data }) => ({ event, ...(JSON.parse(data) as Approval) }))
    .filter(({ thread_id: id }) => id === threadId)
    .map(({ event, step, status }) => `${event} ${step} ${status}`);
}

/** Opens an approval; once the stream reports it, everything before was reported. */
async function upTo(stream: EventStream): Promise<void> {
  const mark = newRun('mark');
  await record(server.api, waiting(mark, 0));
  await stream.until('the mark', (told) => toldOf(told, mark).length > 0);
  await decided(server.api, 'approve', mark, 0);
}

describe('The stream of approvals', () => {
  it('begins with the pending ones and follows every opening and closing, with the record', async () => {
    const run = newRun();
    await record(server.api, waiting(run, 1));
    const stream = await EventStream.open(server.api, '/approvals/stream');
    expect(stream.response.headers['content-type']).toMatch(/^text\/event-stream/);
    await stream.until('the pending one', (told) => toldOf(told, run).length === 1);
    expect(JSON.parse(stream.seen.at(-1)!.data)).toEqual(await approvalOf(server.api, run, 1));
    const approved = await decided(server.api, 'approve', run, 1, { decided_by: 'ada' });
    await stream.until('the closing', (told) => toldOf(told, run).length === 2);
    expect(JSON.parse(stream.seen.at(-1)!.data)).toEqual(approved);
    await record(server.api, waiting(run, 2));
    await record(server.api, working(run, 3));
    await upTo(stream);
    expect(toldOf(stream, run)).toEqual(
      expect.arrayContaining(['opened 1 pending', 'closed 1 approved', 'closed 2 superseded']),
    );
    stream.close();
  });

  it('tells nothing twice, and nothing of what was closed before it began', async () => {
    const [before, open, late] = [newRun(), newRun(), newRun()];
    await record(server.api, waiting(before, 1), waiting(open, 1));
    await decided(server.api, 'reject', before, 1);
    const stream = await EventStream.open(server.api, '/approvals/stream');
    await stream.until('the pending one', (told) => toldOf(told, open).length === 1);
    await record(server.api, waiting(late, 1));
    await upTo(stream);
    await decided(server.api, 'approve', open, 1);
    await upTo(stream);
    await upTo(stream);
    expect(toldOf(stream, before)).toEqual([]);
    expect(toldOf(stream, open)).toEqual(['opened 1 pending', 'closed 1 approved']);
    expect(toldOf(stream, late)).toEqual(['opened 1 pending']);
    stream.close();
  });

  it('misses none of very many that open in one moment', async () => {
    const stream = await EventStream.open(server.api, '/approvals/stream');
    const threadId = newThreadId('crowd');
    const runs = Array.from({ length: 700 }, () => ({ ...newRun(), threadId }));
    await record(server.api, ...runs.map((run) => waiting(run, 0, { parent_trace_id: 'root' })));
    await stream.until('all of them', (told) => toldOf(told, runs[0]!).length === runs.length);
    const traces = new Set(stream.ofType('opened').map(({ data }) => (JSON.parse(data) as Approval).trace_id));
    expect(runs.every(({ traceId }) => traces.has(traceId))).toBe(true);
    const again = await EventStream.open(server.api, '/approvals/stream');
    await again.until('all of them', (told) => toldOf(told, runs[0]!).length === runs.length);
    for (const one of [stream, again]) one.close();
  });

  it('keeps calls whole that were written over several lines', async () => {
    const run = newRun();
    const stream = await EventStream.open(server.api, '/approvals/stream');
    const events = JSON.stringify({ events: [waiting(run, 0, { pending_tool_calls: ['CALL'] })] });
    const call = '{\r\n  "name":\n "pay",\r "args": {\n\n  "cents": 1\r\n }\r}';
    ok(await server.api.post(EVENTS, events.replace('"CALL"', call)));
    await stream.until('the opening', (told) => toldOf(told, run).length === 1);
    const [told] = stream.seen.filter(({ data }) => data.includes(run.threadId));
    expect(JSON.parse(told!.data)).toMatchObject({ tool_calls: [{ name: 'pay', args: { cents: 1 } }] });
    stream.close();
  });

  it('ends with the server', async () => {
    const stream = await EventStream.open(server.api, '/approvals/stream');
    await server.restart();
    await stream.until('its end', (told) => told.isEnded).catch(() => undefined);
    expect(stream.isEnded).toBe(true);
  });
});

describe('The stream of a thread', () => {
  it('tells of its approvals, what becomes of them, and of the agent’s status with it', async () => {
    const run = newRun();
    await record(server.api, working(run, 0));
    const stream = await EventStream.open(server.api, threadPath(run.threadId, '/stream'));
    await record(server.api, waiting(run, 1, { pending_tool_calls: [toolCall('pay', { cents: 1 })] }));
    await record(server.api, waiting(run, 1, { pending_tool_calls: [MAIL] }));
    const { digest } = await approvalOf(server.api, run, 1);
    const approved = await decided(server.api, 'approve', run, 1, { digest });
    await stream.until('the decision', (told) => told.ofType('approval').length === 4);
    const told = stream.ofType('approval').map(({ data }) => JSON.parse(data) as Approval);
    expect(told).toMatchObject([
      { step: 1, status: 'pending', tool_calls: [{ name: 'pay' }] },
      { step: 1, status: 'superseded', decided_through: 'replaced', tool_calls: [{ name: 'pay' }] },
      { step: 1, status: 'pending', tool_calls: [{ name: 'send_mail' }] },
      { step: 1, status: 'approved', decided_through: 'machine secret' },
    ]);
    expect(told[3]).toEqual(approved);
    expect(told.every(({ trace_id: trace }) => trace === run.traceId)).toBe(true);
    await stream.until('the status', (seen) =>
      seen.ofType('status').some(({ data }) => JSON.parse(data).status === 'approved'),
    );
    stream.close();
  });
});
