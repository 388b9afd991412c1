import {
  checkpoint,
  completed,
  conversation,
  failed,
  newThreadId,
  otherCheckpoint,
  started,
  type RunnerEvent,
} from '../../factories/events.js';
import { checkpointsOf, expectUnchangedBy, latestOf, record, recordEach } from '../../support/recording.js';
import { useSharedServer } from '../../support/shared-server.js';

const server = useSharedServer();

describe('Clients that number and date their events', () => {
  const numbered = (event: RunnerEvent, id: string): RunnerEvent => ({ ...event, id });
  const dated = (event: RunnerEvent, second: number): RunnerEvent => ({
    ...event,
    id: `event-${second}`,
    sequence_num: second,
    occurred_at: new Date(Date.UTC(2026, 5, 1, 12, 0, second)).toISOString(),
  });

  it('see a repeated id as a replay, whatever the event says', async () => {
    const threadId = newThreadId();
    await record(server.api, numbered(checkpoint(threadId, 0), 'e1'), numbered(checkpoint(threadId, 1), 'e2'));
    await expectUnchangedBy(
      server.api,
      threadId,
      numbered(otherCheckpoint(threadId, 0, ' changed'), 'e1'),
      numbered(completed(threadId), 'e2'),
    );
  });

  it('may report without a step and still repeat themselves', async () => {
    const threadId = newThreadId();
    const bare = (id: string) => ({ type: 'checkpoint', id, data: { thread_id: threadId, history: conversation(2) } });
    await recordEach(server.api, bare('e1'), bare('e2'), bare('e1'), bare('e2'));
    expect((await checkpointsOf(server.api, threadId)).map((row) => row.step_index)).toEqual([0, 1]);
  });

  it('have ids per thread', async () => {
    const threads = [newThreadId(), newThreadId()];
    for (const threadId of threads) await record(server.api, numbered(checkpoint(threadId, 0), 'e1'));
    for (const threadId of threads) expect(await checkpointsOf(server.api, threadId)).toHaveLength(1);
  });

  it('do not drag old steps into a new attempt by a retry that arrives after the restart', async () => {
    const threadId = newThreadId();
    const [first, second] = [numbered(checkpoint(threadId, 0), 'e1'), numbered(checkpoint(threadId, 1), 'e2')];
    await recordEach(server.api, first, second, numbered(started(threadId), 'e3'), second);
    await record(server.api, numbered(otherCheckpoint(threadId, 0, ' again'), 'e4'));
    expect(await latestOf(server.api, threadId)).toMatchObject({ step_index: 0, history: conversation(2, ' again') });
  });

  it('cannot change an attempt by an event that is older than it', async () => {
    const threadId = newThreadId();
    await recordEach(server.api, dated(started(threadId), 1), dated(checkpoint(threadId, 0), 2));
    await recordEach(server.api, dated(started(threadId), 10), dated(otherCheckpoint(threadId, 0, ' again'), 11));
    await expectUnchangedBy(
      server.api,
      threadId,
      dated(otherCheckpoint(threadId, 0, ' late'), 3),
      dated(failed(threadId), 4),
    );
  });
});
