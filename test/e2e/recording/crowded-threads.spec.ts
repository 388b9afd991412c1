import { newThreadId, type RunnerEvent } from '../../factories/events.js';
import type { ApiClient } from '../../support/api-client.js';
import { cancel } from '../../support/cancel.js';
import { parseMetrics, seriesOf } from '../../support/prometheus.js';
import { pulseOf } from '../../support/pulse.js';
import { EVENTS, ok, record, threadPath } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';

const server = useServer();
/** Events of the largest batch. */
const MANY = 1_000;
const CALL = { id: 'call-1', name: 'issue_refund', arguments: {} };

interface RunRecord {
  trace_id: string;
  status: string;
}

let bound: ApiClient;
beforeAll(async () => {
  const answer = await server.api.post('/v1/tokens', { scope: 'runner', agent_ids: ['support'] });
  bound = server.api.as(String(answer.json<{ token: string }>().token));
});

function many<T>(make: (at: number) => T, count = MANY): T[] {
  return Array.from({ length: count }, (_, at) => make(at));
}

function step(threadId: string, trace: string, fields: object = {}): RunnerEvent {
  const data = { thread_id: threadId, trace_id: trace, agent_id: 'support', step_index: 0, status: 'in_progress' };
  return { type: 'checkpoint', data: { ...data, history: [{ role: 'user', content: trace }], ...fields } };
}

/** The server's CPU time for the requests, in seconds. */
async function cpuSeconds(work: () => Promise<unknown>): Promise<number> {
  const read = async () => {
    const { text } = await server.api.get('/metrics');
    return seriesOf(parseMetrics(text), 'process_cpu_seconds_total')!;
  };
  const before = await read();
  await work();
  return (await read()) - before;
}

const after = (at: number) => `run-${(at + 1) % MANY}`;

/** Batches that name a thousand of something; those before the last only prepare the measurement. */
const BATCHES: Record<string, (threadId: string) => RunnerEvent[][]> = {
  'a chain of parents': (id) => [
    many((at) => step(id, `run-${at}`, at === 0 ? {} : { parent_trace_id: `run-${at - 1}` })),
  ],
  'a circle of parents': (id) => [many((at) => step(id, `run-${at}`, { parent_trace_id: after(at) }))],
  'endings in a circle of parents': (id) => [
    many((at) => step(id, `run-${at}`, { parent_trace_id: after(at) })),
    many((at) => ({ type: 'thread_failed', data: { thread_id: id, error: `fault ${at}` } })),
  ],
  agents: (id) => [
    ...many((batch) => many((at) => step(id, `run-${batch}-${at}`, { agent_id: `support:${batch}-${at}` })), 2),
    many((at) => step(id, 'run', { step_index: at, agent_id: `support:${at}` })),
  ],
  'starts beside open runs': (id) => [
    ...many((batch) => many((at) => step(id, `run-${batch}-${at}`)), 2),
    [step(id, 'asking', { parent_trace_id: 'run-0-0', agent_id: 'support:asking', pending_tool_calls: [CALL] })],
    many((at) => ({ type: 'thread_started', data: { thread_id: id, trace_id: `later-${at}`, agent_id: 'support' } })),
  ],
  'reports of one step': (id) => [
    ...many((batch) => many((at) => step(id, 'run', { history: [{ role: 'user', content: `${batch} ${at}` }] })), 2),
    many((at) => step(id, 'run', { history: [{ role: 'user', content: `more ${at}` }] })),
  ],
  calls: (id) => [many((at) => step(id, `run-${at}`, { pending_tool_calls: [{ ...CALL, id: `call-${at}` }] }))],
};

describe('A batch of a thousand events', () => {
  it.each(Object.keys(BATCHES))('costs little more where it names as many %s', async (what) => {
    const plain = newThreadId();
    const cost = await cpuSeconds(() =>
      bound.post(EVENTS, { events: many((at) => step(plain, 'run', { step_index: at })) }),
    );
    const batches = BATCHES[what]!(newThreadId());
    for (const events of batches.slice(0, -1)) expect((await bound.post(EVENTS, { events })).status).toBe(200);
    const crowded = await cpuSeconds(async () => {
      expect((await bound.post(EVENTS, { events: batches.at(-1)! })).status).toBe(200);
    });
    expect(crowded).toBeLessThan(10 * cost + 1);
  });
});

describe('A chain of callers', () => {
  it('lets the server answer others within 250 ms while a thousand links arrive', async () => {
    const slowest: number[] = [];
    // The best of three: the machine may be busy, but a blocked server is slow every time.
    for (let round = 0; round < 3 && !slowest.some((ms) => ms < 250); round++) {
      const [events] = BATCHES['a chain of parents']!(newThreadId());
      let isStored = false;
      const storing = bound.post(EVENTS, { events: events! }).finally(() => (isStored = true));
      let worst = 0;
      while (!isStored) worst = Math.max(worst, await pulseOf(server.api));
      expect((await storing).status).toBe(200);
      slowest.push(worst);
    }
    expect(Math.min(...slowest)).toBeLessThan(250);
  });

  it('is followed over sixty-four links, and no further', async () => {
    const threadId = newThreadId();
    const called = (at: number) => step(threadId, `run-${at}`, at === 0 ? {} : { parent_trace_id: `run-${at - 1}` });
    await record(server.api, ...many(called, 66));
    expect((await cancel(server.api, threadId, 'run-0')).status).toBe(200);
    const { run_list: runs } = ok(await server.api.get(threadPath(threadId))).json<{ run_list: RunRecord[] }>();
    expect(runs.filter(({ status }) => status !== 'cancelled').map(({ trace_id }) => trace_id)).toEqual(['run-65']);
  });
});
