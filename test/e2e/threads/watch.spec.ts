import { checkpoint, failed, newThreadId, started } from '../../factories/events.js';
import { newRun, waiting } from '../../factories/waiting.js';
import { approvalOf, decided } from '../../support/approvals.js';
import type { ApiClient } from '../../support/api-client.js';
import { testDialect } from '../../support/dialect.js';
import { EventStream, type StreamedEvent } from '../../support/event-stream.js';
import { problemOf } from '../../support/problem.js';
import { listOf, record, threadPath } from '../../support/recording.js';
import { ServerProcess } from '../../support/server-process.js';
import { siblingHome } from '../../support/storage.js';
import { useServer } from '../../support/test-server.js';

const PATH = '/v1/threads/stream';

const server = useServer();
/** Other instances, if the database allows them. */
const siblings: ServerProcess[] = [];
const open: EventStream[] = [];

beforeAll(async () => {
  if (testDialect() !== 'postgres') return;
  for (let n = 0; n < 2; n++) {
    const home = await siblingHome(server.storage);
    siblings.push(await ServerProcess.start(server.storage, { env: { WAYSTATION_HOME: home } }));
  }
});
afterEach(() => {
  for (const stream of open.splice(0)) stream.close();
});
afterAll(() => Promise.all(siblings.map((sibling) => sibling.stop())));

function instance(n: number): ApiClient {
  const all = [server.api, ...siblings.map(({ api }) => api)];
  return all[n % all.length]!;
}

async function watch(query: Record<string, string> = {}, lastEventId?: string | null, api = server.api) {
  const search = new URLSearchParams(query).toString();
  const stream = await EventStream.open(api, search === '' ? PATH : `${PATH}?${search}`, lastEventId);
  open.push(stream);
  expect(stream.response.statusCode).toBe(200);
  await stream.until('its beginning', ({ lastId }) => lastId !== null);
  return stream;
}

interface Told {
  thread_id: string;
  last_seq?: number;
  step?: number;
  status?: string;
}

/** A stream's events about a thread: `thread 3 completed`, `left 4`. */
function toldOf(events: readonly StreamedEvent[], threadId: string): string[] {
  return events
    .map(({ event, data }) => ({ event, ...(JSON.parse(data) as Told) }))
    .filter((one) => one.thread_id === threadId)
    .map(({ event, last_seq: seq, step, status }) =>
      [event, seq ?? step, status].filter((part) => part !== undefined).join(' '),
    );
}

const hasTold = (threadId: string, what: string) => (stream: EventStream) =>
  toldOf(stream.seen, threadId).some((told) => told.includes(what));

describe('The stream of all threads', () => {
  it('tells of every thread that changes, with the item of the list and the number of its last change', async () => {
    const stream = await watch();
    expect(stream.response.headers['content-type']).toMatch(/^text\/event-stream/);
    const [one, other] = [newThreadId(), newThreadId()];
    await record(server.api, started(one), checkpoint(one, 0));
    await record(server.api, checkpoint(other, 0));
    await stream.until('both', (told) => hasTold(one, 'thread')(told) && hasTold(other, 'thread')(told));
    const told = stream.ofType('thread').map(({ data }) => JSON.parse(data) as Record<string, unknown>);
    const { last_seq: lastSeq, ...item } = told.findLast(({ thread_id: id }) => id === one)!;
    expect([item]).toEqual((await listOf(server.api, { q: one })).items);
    const live = await EventStream.open(server.api, threadPath(one, '/stream'));
    open.push(live);
    await live.until('its latest checkpoint', ({ seen }) => seen.length > 0);
    expect(live.seen[0]!.id).toBe(String(lastSeq));
  });

  it('begins now, and continues after Last-Event-ID where nothing was told yet', async () => {
    const [before, away, after] = [newThreadId(), newThreadId(), newThreadId()];
    await record(server.api, checkpoint(before, 0));
    const first = await watch();
    first.close();
    await record(server.api, checkpoint(away, 0));
    await record(server.api, checkpoint(away, 1));
    const second = await watch({}, first.lastId);
    await second.until('what happened meanwhile', hasTold(away, 'thread'));
    await record(server.api, checkpoint(after, 0));
    await second.until('what happens now', hasTold(after, 'thread'));
    expect(toldOf(second.seen, away)).toEqual(['thread 2 in_progress']);
    expect(toldOf(second.seen, before)).toEqual([]);
    const third = await watch({ last_event_id: first.lastId! });
    await third.until('what happened meanwhile', hasTold(away, 'thread'));
  });

  it('walks through more threads than it reads at once, and goes on in the midst of them', async () => {
    const { lastId } = await watch();
    const ids = Array.from({ length: 130 }, () => newThreadId('many'));
    for (const half of [ids.slice(0, 100), ids.slice(100)]) {
      await record(server.api, ...half.map((id) => checkpoint(id, 0)));
    }
    const seen = new Set<string>();
    let from = lastId;
    for (let n = 0; seen.size < ids.length; n++) {
      const stream = await watch({}, from, instance(n));
      await stream.until('some of them', (told) => told.seen.length >= Math.min(20, ids.length - seen.size));
      stream.close();
      // Everything up to the last received id is known.
      const part = stream.seen.slice(0, 20);
      for (const { data } of part) seen.add((JSON.parse(data) as { thread_id: string }).thread_id);
      from = part.at(-1)!.id;
      expect(n).toBeLessThan(20);
    }
    expect([...seen].sort()).toEqual([...ids].sort());
  });

  it('tells of approvals of the threads that match, with the record', async () => {
    const [stream, refunds] = [await watch(), await watch({ agent_id: 'refunds' })];
    const [run, other] = [newRun(), newRun()];
    await record(server.api, waiting(run, 1), waiting(other, 1, { agent_id: 'refunds' }));
    await stream.until('the opening', hasTold(run.threadId, 'approval'));
    const opened = stream.ofType('approval').find(({ data }) => data.includes(run.threadId))!;
    expect(JSON.parse(opened.data)).toEqual(await approvalOf(server.api, run, 1));
    const approved = await decided(server.api, 'approve', run, 1);
    await stream.until('the decision', hasTold(run.threadId, 'approval 1 approved'));
    const closed = stream.ofType('approval').findLast(({ data }) => data.includes(run.threadId))!;
    expect(JSON.parse(closed.data)).toEqual(approved);
    await refunds.until('its own', hasTold(other.threadId, 'approval 1 pending'));
    expect(toldOf(refunds.seen, run.threadId)).toEqual([]);
  });

  it('filters as the list does, and tells once of a thread that left', async () => {
    const threadId = newThreadId('Straße');
    const filters: Record<string, string>[] = [
      { status: 'in_progress' },
      { agent_id: 'support' },
      { model: 'gpt-4o' },
      { q: threadId.replace('Straße', 'sTRAßE') },
      { search: threadId.slice(3) },
    ];
    const matching = await Promise.all(filters.map((query) => watch(query)));
    const foreign: Record<string, string>[] = [
      ...[{ status: 'error' }, { agent_id: 'suppor' }, { model: 'gpt' }, { q: 'nowhere' }],
    ];
    const others = await Promise.all(foreign.map((query) => watch(query)));
    await record(server.api, started(threadId), checkpoint(threadId, 0));
    await Promise.all(matching.map((stream) => stream.until('the thread', hasTold(threadId, 'thread'))));
    await record(server.api, failed(threadId));
    await matching[0]!.until('that it left', hasTold(threadId, 'left'));
    const mark = newThreadId();
    await record(server.api, checkpoint(threadId, 1, { trace_id: 'late', status: 'paused' }), started(mark));
    await matching[0]!.until('the mark', hasTold(mark, 'thread'));
    await record(server.api, checkpoint(threadId, 2, { trace_id: 'late' }));
    await matching[0]!.until('that it is back', (stream) => /left.*thread/.test(toldOf(stream.seen, threadId).join()));
    const told = toldOf(matching[0]!.seen, threadId);
    expect(told.filter((one) => one.startsWith('left'))).toHaveLength(1);
    expect(told.every((one) => /^left \d+$|in_progress$/.test(one))).toBe(true);
    await record(server.api, failed(threadId, { trace_id: 'late' }));
    await others[0]!.until('what it asked for', hasTold(threadId, 'error'));
    for (const stream of others.slice(2)) expect(toldOf(stream.seen, threadId).join()).toMatch(/^left \d+$/);
    expect(toldOf(others[1]!.seen, threadId)).toEqual([]);
  });

  it('tells of a deletion, also after a reconnect, and of a new thread of that name', async () => {
    const [live, away] = [await watch({ status: 'error' }), await watch()];
    away.close();
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0));
    await server.api.delete(threadPath(threadId));
    await live.until('the deletion', hasTold(threadId, 'deleted'));
    const second = await watch({}, away.lastId, instance(1));
    await second.until('the deletion', hasTold(threadId, 'deleted'));
    await record(server.api, checkpoint(threadId, 7));
    const third = await watch({}, away.lastId, instance(2));
    await third.until('the new thread', hasTold(threadId, 'thread'));
    expect(toldOf(third.seen, threadId)).toEqual(['deleted', 'thread 1 in_progress']);
  });

  it('leaves out threads without a run, until they have one', async () => {
    const [threadId, mark] = [newThreadId(), newThreadId()];
    const stream = await watch();
    await server.api.post('/v1/runners/events', { events: [{ type: 'made_up', data: { thread_id: threadId } }] });
    await record(server.api, checkpoint(mark, 0));
    await stream.until('the mark', hasTold(mark, 'thread'));
    expect(toldOf(stream.seen, threadId)).toEqual([]);
    await record(server.api, checkpoint(threadId, 0));
    await stream.until('the thread', hasTold(threadId, 'thread'));
  });

  it.each(['since', 'until', 'sort', 'order', 'limit', 'cursor', 'include'])(
    'does not know the parameter %s',
    async (name) => {
      const problem = problemOf(await server.api.get(`${PATH}?${name}=2026-01-01`), 400);
      expect(JSON.stringify(problem)).toContain(`"${name}"`);
    },
  );

  it.each([
    'made-up',
    '-1',
    '1e3',
    '99999999999999999999999',
    '5~4',
    '5~6~1.2',
    '1.1-5:4:',
    '1.1-5:9:7,6',
    '1.1-5:9:,',
    "1';",
    '0',
    '9007199254740991',
    '1.1-5:9007199254740991:6,7',
    '4.4-5:9:',
    '3~5~4.1.1',
  ])('tells everything to a reader who comes with %s, which is no id of this storage', async (id) => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0));
    const stream = await watch({ q: threadId }, id);
    await stream.until('what is there', hasTold(threadId, 'thread'));
    expect(toldOf(stream.seen, threadId)).toEqual(['thread 1 in_progress']);
  });

  it('is for administrators and readers only', async () => {
    for (const body of [{ scope: 'runner', agent_ids: ['support'] }, { scope: 'runner' }, { scope: 'approver' }]) {
      const { token } = (await server.api.post('/v1/tokens', body)).json<{ token: string }>();
      problemOf(await server.api.as(token).get(PATH), 403);
    }
    problemOf(await server.api.as(null).get(PATH), 401);
    const { token } = (await server.api.post('/v1/tokens', { scope: 'reader' })).json<{ token: string }>();
    await watch({}, null, server.api.as(token));
  });

  it('ends with the token', async () => {
    const { id, token } = (await server.api.post('/v1/tokens', { scope: 'admin' })).json<{
      id: string;
      token: string;
    }>();
    const stream = await watch({}, null, instance(1).as(token));
    await server.api.delete(`/v1/tokens/${id}`);
    const revokedAtMs = performance.now();
    const late: string[] = [];
    while (!stream.isEnded) {
      const threadId = newThreadId();
      if (performance.now() - revokedAtMs > 1_500) late.push(threadId);
      await record(server.api, checkpoint(threadId, 0));
    }
    expect(late.filter((threadId) => toldOf(stream.seen, threadId).length > 0)).toEqual([]);
  });
});
