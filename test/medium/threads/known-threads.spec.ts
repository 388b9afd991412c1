import { checkpoint, completed, newThreadId, started, type RunnerEvent } from '../../factories/events.js';
import { SetClock } from '../../fakes/set-clock.js';
import { EventStream } from '../../support/event-stream.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { makeKnown } from '../../support/known-threads.js';
import { problemOf } from '../../support/problem.js';
import { latestPath, listOf, record, recordEach, snapshotOf, threadPath } from '../../support/recording.js';

const clock = new SetClock(Date.parse('2026-03-01T12:00:00Z'));
let server: InProcessApp;

beforeAll(async () => {
  server = await startApp({ clock });
});
afterAll(() => server.stop());

/** Everything that the API returns about the thread, without its id. */
async function told(threadId: string): Promise<unknown> {
  const stream = await EventStream.open(server.api, threadPath(threadId, '/stream'));
  await stream.until('the latest checkpoint', ({ seen }) => seen.length > 0);
  stream.close();
  const text = JSON.stringify({
    ...((await snapshotOf(server.api, threadId)) as object),
    item: (await listOf(server.api, { q: threadId, include: 'history' })).items,
    stream: stream.seen.map(({ event, data }) => [event, JSON.parse(data)]),
  });
  return JSON.parse(text.replaceAll(threadId, 'THREAD'));
}

const HISTORIES: [sentence: string, events: (threadId: string) => RunnerEvent[]][] = [
  ['a start', (id) => [started(id)]],
  ['a checkpoint', (id) => [checkpoint(id, 3)]],
  ['an ending', (id) => [completed(id)]],
  [
    'a whole run with its sub-agent',
    (id) => [
      started(id),
      checkpoint(id, 0),
      started(id, { trace_id: 'run-1a', parent_trace_id: 'run-1', agent_id: 'researcher' }),
      checkpoint(id, 0, { trace_id: 'run-1a', parent_trace_id: 'run-1', agent_id: 'researcher' }),
      completed(id),
    ],
  ],
  ['a note and a run after it', (id) => [{ type: 'tool_installed', data: { thread_id: id } }, checkpoint(id, 0)]],
];

describe('A thread that is only known', () => {
  it.each(HISTORIES)('reads like an unknown one once it gets %s', async (_, events) => {
    const [known, unknown] = [newThreadId('known'), newThreadId('other')];
    await makeKnown(server.app, known);
    await makeKnown(server.app, known);
    clock.set('2026-03-01T14:00:00Z');
    for (const threadId of [known, unknown]) await recordEach(server.api, ...events(threadId));
    expect(await told(known)).toEqual(await told(unknown));
  });

  it('that gets its first report in the same transaction gets its time, too', async () => {
    const threadId = newThreadId();
    await Promise.all([
      makeKnown(server.app, threadId),
      record(server.api, started(threadId)),
      makeKnown(server.app, threadId),
    ]);
    expect((await listOf(server.api, { q: threadId })).items).toMatchObject([{ runs: 1, duration_ms: 0 }]);
  });

  it('keeps the times of its reports when it is claimed again', async () => {
    const threadId = newThreadId();
    await record(server.api, started(threadId));
    const before = await told(threadId);
    clock.set('2026-03-01T14:05:00Z');
    await makeKnown(server.app, threadId);
    expect(await told(threadId)).toEqual(before);
  });

  it('is nowhere to be seen, can be deleted, and is then unknown', async () => {
    const threadId = newThreadId();
    const total = async () => (await listOf(server.api, { count: 'true', limit: '1' })).total;
    const before = await total();
    await makeKnown(server.app, threadId);
    for (const path of [threadPath(threadId), threadPath(threadId, '/checkpoints'), threadPath(threadId, '/stream')]) {
      problemOf(await server.api.get(path), 404);
    }
    problemOf(await server.api.get(latestPath(threadId)), 404);
    expect((await listOf(server.api, { q: threadId })).items).toEqual([]);
    expect(await total()).toBe(before);
    expect((await server.api.delete(threadPath(threadId))).status).toBe(204);
    problemOf(await server.api.delete(threadPath(threadId)), 404);
  });
});
