import zlib from 'node:zlib';
import { checkpoint, newThreadId, started } from '../../factories/events.js';
import { EventStream } from '../../support/event-stream.js';
import { useServer } from '../../support/test-server.js';
import type { Answer } from '../../support/api-client.js';

const GOOD = 'still stored';
// The soak has the largest possible bodies, see hostile-bodies there.
const DEEP = `${'['.repeat(2_000_000)}${']'.repeat(2_000_000)}`;
const WIDE = `[${'{},'.repeat(1_999_999)}{}]`;
const levels = (count: number) => '['.repeat(count) + ']'.repeat(count);
const values = (count: number) => `[${'1,'.repeat(count - 2)}1]`;

const server = useServer({ env: { NODE_OPTIONS: '--max-old-space-size=512' } });

/** The places of an element, with the name that a refusal gives it. */
const PLACES: [where: string, path: string, event: (threadId: string, element: string) => string][] = [
  ['an error', 'data.error', (id, element) => event('thread_error', id, `"error":${element}`)],
  [
    'tool calls',
    'data.pending_tool_calls',
    (id, element) => event('checkpoint', id, `"pending_tool_calls":${element}`),
  ],
  ['an unknown member', 'data.notes', (id, element) => event('checkpoint', id, `"notes":${element}`)],
  ['a message', 'data.history[1]', (id, element) => event('checkpoint', id, `"history":[{"role":"user"},${element}]`)],
  ['metadata', 'data.history_meta[0]', (id, element) => event('checkpoint', id, `"history_meta":[${element}]`)],
  ['an unknown event', 'data.state', (id, element) => event('state_saved', id, `"state":${element}`)],
];

function event(type: string, threadId: string, member: string): string {
  const ids = `"thread_id":"${threadId}","trace_id":"run-1","agent_id":"support","step_index":1`;
  return `{"type":"${type}","data":{${ids},${member}}}`;
}

function report(...events: string[]): Promise<Answer> {
  const headers = { 'content-encoding': 'gzip' };
  const body = zlib.gzipSync(`{"events":[${events.join(',')}]}`, { level: 1 });
  return server.api.post('/v1/runners/events', body, { headers });
}

function good(threadId: string, step: number): string {
  return JSON.stringify(checkpoint(threadId, step, { history: [{ role: 'user', content: GOOD }] }));
}

describe('An element that holds too much', () => {
  describe.each(PLACES)('as %s', (_where, path, eventWith) => {
    it.each([
      ['millions of levels', DEEP, 'at most 1000 levels of lists and objects'],
      ['millions of values', WIDE, 'at most 500000 values in one element'],
      ['one level too many', levels(1_001), 'at most 1000 levels of lists and objects'],
      ['one value too many', values(500_001), 'at most 500000 values in one element'],
    ])('with %s is refused alone', async (what, element, limit) => {
      const threadId = newThreadId();
      const answer = await report(good(threadId, 0), eventWith(threadId, element), good(threadId, 2));
      expect({ status: answer.status, ...answer.json() }).toMatchObject({
        status: 207,
        saved: 2,
        rejected: [{ index: 1, code: 'invalid_event', detail: `${path}: ${limit}` }],
      });
      expect((await server.api.get(`/threads/${threadId}`)).text).toContain(GOOD);
      // Millions take long, and are refused just like the first one too many.
      if (what.startsWith('millions')) return;
      const alone = await report(eventWith(threadId, element));
      expect({ status: alone.status, ...alone.json() }).toMatchObject({
        status: 400,
        errors: [{ path: `events[0].${path}`, detail: limit }],
      });
    });

    it('with as much as is allowed is stored, and nobody fills the memory to show it', async () => {
      const threadId = newThreadId();
      const texts = [levels(1_000), values(500_000), `[${'{},'.repeat(499_998)}{}]`];
      const events = texts.map((element) => eventWith(threadId, element));
      const start = JSON.stringify(started(threadId));
      for (const reported of events) {
        const answer = await report(start, reported);
        expect({ status: answer.status, ...answer.json() }).toEqual({ status: 200, saved: 2, rejected: [] });
        expect((await server.api.get(`/threads/${threadId}`)).status).toBe(200);
      }
    });
  });
});

describe('What is too large to show', () => {
  const large = `[${'{},'.repeat(400_000)}{}]`;

  it('is shown cut in the logs, and given back exactly', async () => {
    const threadId = newThreadId();
    const message = { role: 'user', content: `begins ${'x'.repeat(1_500_000)}` };
    const messages = `${JSON.stringify(message)},${large}`;
    expect((await report(event('checkpoint', threadId, `"history":[${messages}]`))).status).toBe(200);
    expect((await report(event('state_saved', threadId, `"state":${large}`))).status).toBe(200);
    const { logs } = (await server.api.get(`/threads/${threadId}`)).json<{ logs: { message: string }[] }>();
    expect(logs.map((entry) => entry.message.slice(0, 60))).toEqual([
      'too large to show (1500035 characters): {"role":"user","cont',
      expect.stringMatching(/^too large to show \(1200004 characters\): \[\{\},\{\},/),
      expect.stringMatching(/^state_saved .*too large to show/),
    ]);
    expect(Math.max(...logs.map((entry) => entry.message.length))).toBeLessThan(5_000);
    expect((await server.api.get(`/threads/${threadId}/checkpoints`)).text).toContain(`"history":[${messages}]`);
  });

  it('of tool calls is said of the approval, which can be decided as a whole', async () => {
    const threadId = newThreadId();
    const calls = `[{"id":"c1","name":"write","args":{"text":"${'x'.repeat(1_200_000)}"}},{"id":"c2","name":"rm","args":{"a":1}}]`;
    const reported = event('checkpoint', threadId, `"status":"waiting_approval","pending_tool_calls":${calls}`);
    expect((await report(JSON.stringify(started(threadId)), reported)).status).toBe(200);
    const listed = await server.api.get(`/approvals?thread_id=${threadId}`);
    expect(listed.bytes.length).toBeLessThan(5_000);
    const [approval] = listed.json<{ items: Record<string, unknown>[] }>().items;
    expect(approval).toMatchObject({
      tool_calls_cut: true,
      tool_calls: [
        { id: 'c1', name: 'write', args: 'too large to show (1200045 bytes)', raw: null },
        { id: 'c2', name: 'rm', args: { a: 1 }, raw: { id: 'c2', name: 'rm', args: { a: 1 } } },
      ],
    });
    expect((await server.api.get(`/threads/${threadId}/checkpoints`)).text).toContain(calls);
    const decided = await server.api.post('/approvals/run-1/1/approve', { digest: approval!.digest });
    expect(decided.json()).toMatchObject({ status: 'approved', tool_calls_cut: true });
  });

  it('of very many tool calls is the rest of them', async () => {
    const threadId = newThreadId();
    const reported = event('checkpoint', threadId, `"pending_tool_calls":${large}`);
    expect((await report(JSON.stringify(started(threadId)), reported)).status).toBe(200);
    const listed = await server.api.get(`/approvals?thread_id=${threadId}`);
    const [approval] = listed.json<{ items: { tool_calls: unknown[] }[] }>().items;
    expect(approval).toMatchObject({ tool_calls_cut: true });
    expect(approval!.tool_calls).toHaveLength(10_000);
  });
});

describe('A list of very many elements', () => {
  const COUNT = 200_000;

  /** Duration of the report. Other requests get responses meanwhile. */
  async function timeOf(...events: string[]): Promise<number> {
    const startedMs = performance.now();
    let isAnswered = false;
    const answer = report(...events).finally(() => (isAnswered = true));
    while (!isAnswered) expect((await server.api.get('/health')).status).toBe(200);
    expect((await answer).status).toBe(200);
    return performance.now() - startedMs;
  }

  /** Quadratic time was fifty times as long as storing the elements. @param storingMs on this machine */
  const limitMs = (storingMs: number) => 5 * storingMs + 3_000;

  it.each(['history', 'history_meta'])('is stored in %s when all of them have moved by one place', async (list) => {
    const threadId = newThreadId();
    const same = `${'1,'.repeat(COUNT - 1)}1`;
    const storingMs = await timeOf(event('checkpoint', threadId, `"${list}":[${same}]`));
    const movedMs = await timeOf(event('checkpoint', threadId, `"${list}":[2,${same}]`));
    expect(movedMs).toBeLessThan(limitMs(storingMs));
    const latest = await server.api.get(`/v1/runners/threads/${threadId}/latest`);
    expect(latest.text).toContain(`"${list}":[2,${same}]`);
  });

  it('is read when every second one was left out', async () => {
    const threadId = newThreadId();
    const all = Array.from({ length: COUNT }, (_, i) => i);
    const half = all.filter((i) => i % 2 === 0);
    const step = (number: number, history: string) =>
      event('checkpoint', threadId, `"history":[${history}]`).replace('"step_index":1', `"step_index":${number}`);
    const storingMs = await timeOf(step(1, all.join()));
    await timeOf(step(2, half.join()));
    await timeOf(step(3, `${half.join()},"new"`));
    const startedMs = performance.now();
    const answer = await server.api.get(`/threads/${threadId}/checkpoints?history=new`);
    expect(answer.json<{ items: object[] }>().items).toMatchObject([
      { history: all },
      { history: [] },
      { history: ['new'] },
    ]);
    const stream = await EventStream.open(server.api, `/threads/${threadId}/stream`);
    await stream.until('the latest checkpoint', ({ seen }) => seen.length > 0);
    stream.close();
    expect(JSON.parse(stream.seen[0]!.data)).toMatchObject({ step_index: 3, history: ['new'] });
    expect(performance.now() - startedMs).toBeLessThan(limitMs(storingMs));
    const listed = await server.api.get(`/threads?include=history&q=${threadId}`);
    expect(listed.text).toContain(`"history":[${half.join()},"new"]`);
  });
});
