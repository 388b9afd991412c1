import { newThreadId } from '../../factories/events.js';
import { working } from '../../factories/waiting.js';
import { claim, claimed, effectOf, effectsPath, gist, settled } from '../../support/effects.js';
import { EventStream } from '../../support/event-stream.js';
import { ok, record, threadPath } from '../../support/recording.js';
import { changeStored, type TestStorage } from '../../support/storage.js';
import { useServer } from '../../support/test-server.js';

const server = useServer();
const open: EventStream[] = [];

afterEach(() => {
  for (const stream of open.splice(0)) stream.close();
});

async function follow(path: string): Promise<EventStream> {
  const stream = await EventStream.open(server.api, path);
  open.push(stream);
  return stream;
}

/** A stream's events about a thread's effects: `effect started 1`. */
function toldOf({ seen }: EventStream, threadId: string): string[] {
  return seen
    .filter(({ event }) => event === 'effect' || event.startsWith('doubt_'))
    .map(({ event, data }) => ({ event, ...(JSON.parse(data) as Record<string, unknown>) }))
    .filter((one) => 'thread_id' in one && one.thread_id === threadId)
    .map(
      (one) => `${one.event} ${'state' in one ? one.state : ''}${'in_doubt' in one && one.in_doubt ? ' in doubt' : ''}`,
    );
}

describe('Those who follow', () => {
  it('a thread, or all of them, get each claim, doubt and settling', async () => {
    const threadId = newThreadId();
    await record(server.api, working({ threadId, traceId: 'run-1' }, 0));
    const streams = [await follow(threadPath(threadId, '/stream')), await follow('/v1/threads/stream')];
    for (const stream of streams) await stream.until('its beginning', ({ lastId }) => lastId !== null);
    await claimed(server.api, threadId);
    expect(gist(await claim(server.api, threadId))).toBe('409 effect_in_doubt');
    const { args, result, error, ...done } = await settled(server.api, threadId, { outcome: 'completed', result: [1] });
    for (const stream of streams) {
      await stream.until('the end', (told) => toldOf(told, threadId).length === 3);
      expect(toldOf(stream, threadId)).toEqual(['effect started', 'effect started in doubt', 'effect completed']);
      expect(JSON.parse(stream.ofType('effect').at(-1)!.data)).toEqual(done);
    }
    expect([args, result, error]).toEqual([{ order: 4711 }, [1], null]);
  });

  it('approvals get doubts, also those that only time makes', async () => {
    const [before, threadId] = [newThreadId(), newThreadId()];
    await claimed(server.api, before);
    await settled(server.api, before, { outcome: 'unknown' });
    const stream = await follow('/approvals/stream');
    await stream.until('the doubt that was there', (told) => toldOf(told, before).length === 1);
    await claimed(server.api, threadId, { doubt_after_seconds: 1 });
    await stream.until('the doubt', (told) => toldOf(told, threadId).length === 1);
    expect(JSON.parse(stream.seen.at(-1)!.data)).toEqual(await effectOf(server.api, threadId));
    await settled(server.api, threadId, { outcome: 'not_done' });
    await stream.until('its end', (told) => toldOf(told, threadId).length === 2);
    expect(toldOf(stream, threadId)).toEqual(['doubt_opened started in doubt', 'doubt_closed not_done']);
  });

  it('the metrics get their number, however many they are', async () => {
    const threadId = newThreadId();
    await claimed(server.api, threadId);
    await settled(server.api, threadId, { outcome: 'unknown' });
    await repeatEffect(server.storage, threadId, 1_100);
    const { text } = ok(await server.api.get('/metrics'));
    expect(Number(/^waystation_effects_in_doubt (\d+)$/m.exec(text)?.[1])).toBeGreaterThan(1_100);
    expect(text).toMatch(/^waystation_effects_oldest_doubt_seconds \d/m);
  });
});

/** Gives the thread as many more effects like its only one. */
function repeatEffect(storage: TestStorage, threadId: string, times: number): Promise<void> {
  const same = `thread_pk, agent, thread_id, trace_id, agent_id, tool, kind, args_digest, state, attempt, rev, is_leased, lease_trace,
    doubt_after_seconds, is_unknown, is_met, started_at, result_omitted, changed_at`;
  return changeStored(
    storage,
    `WITH RECURSIVE copy(no) AS (SELECT 1 UNION ALL SELECT no + 1 FROM copy WHERE no < ${times})
     INSERT INTO effect (key, seq, ${same}) SELECT key || no, seq + no, ${same} FROM effect, copy WHERE thread_id = '${threadId}'`,
  );
}

describe('A thread', () => {
  it('shows the effects of each run to those who ask', async () => {
    const threadId = newThreadId();
    await record(server.api, working({ threadId, traceId: 'run-1' }, 0), working({ threadId, traceId: 'run-2' }, 0));
    const { args, result, error, ...summary } = await claimed(server.api, threadId);
    const runsOf = async (query: Record<string, string>) =>
      ok(await server.api.get(threadPath(threadId, '', query))).json<{ run_list: { effects?: unknown }[] }>().run_list;
    expect((await runsOf({ include: 'effects' })).map(({ effects }) => effects)).toEqual([[summary], []]);
    expect((await runsOf({})).every((run) => !('effects' in run))).toBe(true);
    expect([args, result, error]).toEqual([{ order: 4711 }, null, null]);
  });

  it('takes its effects along when it is deleted', async () => {
    const threadId = newThreadId();
    await claimed(server.api, threadId);
    expect((await server.api.delete(threadPath(threadId))).status).toBe(204);
    expect(gist(await server.api.get(effectsPath(threadId)))).toBe('404 thread_not_found');
    expect(await claimed(server.api, threadId)).toMatchObject({ attempt: 1 });
  });
});
