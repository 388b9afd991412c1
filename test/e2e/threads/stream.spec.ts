import { checkpoint, completed, conversation, newThreadId, started } from '../../factories/events.js';
import { EventStream, type StreamedEvent } from '../../support/event-stream.js';
import { problemOf } from '../../support/problem.js';
import { record, recordEach, threadPath, type Checkpoint } from '../../support/recording.js';
import { useSharedServer } from '../../support/shared-server.js';

const server = useSharedServer();
const open: EventStream[] = [];

async function follow(threadId: string, lastEventId?: string | null): Promise<EventStream> {
  const stream = await EventStream.open(server.api, threadPath(threadId, '/stream'), lastEventId);
  open.push(stream);
  return stream;
}

function checkpointsIn(events: readonly StreamedEvent[]): Checkpoint[] {
  return events.filter(({ event }) => event === 'checkpoint').map(({ data }) => JSON.parse(data) as Checkpoint);
}

function stepsIn(events: readonly StreamedEvent[]): number[] {
  return checkpointsIn(events).map((row) => row.step_index);
}

const hasStep = (step: number) => (stream: EventStream) => stepsIn(stream.seen).includes(step);

afterEach(() => {
  for (const stream of open.splice(0)) stream.close();
});

describe('The live stream of a thread', () => {
  it('is 404 for an unknown thread', async () => {
    problemOf(await server.api.get(threadPath(newThreadId(), '/stream')), 404);
  });

  it('begins with the latest checkpoint, then follows', async () => {
    const threadId = newThreadId();
    await recordEach(server.api, checkpoint(threadId, 0), checkpoint(threadId, 1));
    const stream = await follow(threadId);
    expect(stream.response.statusCode).toBe(200);
    expect(stream.response.headers['content-type']).toMatch(/^text\/event-stream/);
    await stream.until('the latest checkpoint', hasStep(1));
    await record(server.api, checkpoint(threadId, 2));
    await stream.until('the next checkpoint', hasStep(2));
    expect(stepsIn(stream.seen)).toEqual([1, 2]);
    const rows = checkpointsIn(stream.seen);
    expect(rows[1]).toMatchObject({ thread_id: threadId, status: 'in_progress', history: conversation(6).slice(4) });
  });

  it('gives every event an id of its own', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0));
    const stream = await follow(threadId);
    await record(server.api, checkpoint(threadId, 1), completed(threadId));
    await stream.until('the end of the run', (seen) =>
      seen.ofType('status').some(({ data }) => data.includes('completed')),
    );
    const ids = stream.seen.map(({ id }) => id);
    expect(ids).not.toContain(null);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('tells of a change of status, of an approval that opens, and of log entries', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0));
    const stream = await follow(threadId);
    const waiting = { status: 'waiting_for_approval', pending_tool_calls: [{ function: 'pay', args: { amount: 5 } }] };
    await record(server.api, checkpoint(threadId, 1, waiting));
    await stream.until('the new status', (seen) =>
      seen.ofType('status').some(({ data }) => data.includes('waiting_for_approval')),
    );
    await stream.until('a log entry', (seen) => seen.ofType('log').length > 0);
    expect(JSON.parse(stream.ofType('log')[0]?.data ?? '{}')).toMatchObject({
      kind: expect.any(String),
      message: expect.any(String),
    });
  });

  it('resumes after Last-Event-ID without loss and without repetition', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0));
    const first = await follow(threadId);
    await record(server.api, checkpoint(threadId, 1));
    await first.until('step 1', hasStep(1));
    first.close();
    await recordEach(server.api, checkpoint(threadId, 2), checkpoint(threadId, 3), completed(threadId));
    const second = await follow(threadId, first.seen.at(-1)?.id);
    await second.until('step 3', hasStep(3));
    await record(server.api, checkpoint(threadId, 4));
    await second.until('step 4', hasStep(4));
    expect(stepsIn([...first.seen, ...second.seen])).toEqual([0, 1, 2, 3, 4]);
    const ids = [...first.seen, ...second.seen].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('loses nothing to a reader that reconnects all the time while many write', async () => {
    const threadId = newThreadId();
    const last = 150;
    await record(server.api, started(threadId));
    const writing = (async () => {
      for (let step = 0; step <= last; step++)
        await record(server.api, checkpoint(threadId, step, { history: [step] }));
    })();
    const seen: StreamedEvent[] = [];
    while (!stepsIn(seen).includes(last)) {
      const stream = await follow(threadId, seen.at(-1)?.id);
      await stream.until('some events', (one) => one.seen.length >= 5 || hasStep(last)(one));
      stream.close();
      seen.push(...stream.seen);
    }
    await writing;
    const steps = stepsIn(seen).filter((step, index) => index > 0 || step > 0);
    // A new reader starts with the thread's state at that time.
    expect(steps).toEqual(range(steps[0]!, last));
  });

  it('does not show what happens in other threads', async () => {
    const [threadId, elsewhere] = [newThreadId(), newThreadId()];
    await record(server.api, checkpoint(threadId, 0), checkpoint(elsewhere, 0));
    const stream = await follow(threadId);
    await record(server.api, checkpoint(elsewhere, 1));
    await record(server.api, checkpoint(threadId, 2));
    await stream.until('step 2', hasStep(2));
    expect(stepsIn(stream.seen)).toEqual([0, 2]);
  });

  it.each(['made-up', '-1', '1e3', '99999999999999999999999'])(
    'begins with the latest checkpoint after the Last-Event-ID %j',
    async (id) => {
      const threadId = newThreadId();
      await record(server.api, checkpoint(threadId, 0));
      const stream = await follow(threadId, id);
      await stream.until('the latest checkpoint', hasStep(0));
    },
  );

  it('is 404 once the thread is deleted', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0));
    const stream = await follow(threadId);
    await stream.until('the latest checkpoint', hasStep(0));
    await server.api.delete(threadPath(threadId));
    problemOf(await server.api.get(threadPath(threadId, '/stream')), 404);
  });
});

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
