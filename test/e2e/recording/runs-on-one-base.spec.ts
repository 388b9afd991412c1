import { existsSync, readFileSync } from 'node:fs';
import { checkpoint, newThreadId, type RunnerEvent } from '../../factories/events.js';
import { waiting } from '../../factories/waiting.js';
import { peakMegabytes, resetPeak } from '../../support/peak-memory.js';
import { problemOf } from '../../support/problem.js';
import { EVENTS, latestOf, ok, record, recordEach } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';

const server = useServer({ env: { NODE_OPTIONS: '--max-old-space-size=256' } });

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);

/** 0 if there is no /proc. */
function peakMib(): number {
  const file = `/proc/${server.process.pid}/status`;
  const status = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

/** The first report of a run that continues from the whole base; `id` is also the trace. */
function onBase(threadId: string, id: string, step: number, [base, length]: readonly [string, number]): RunnerEvent {
  const data = { trace_id: id, history: [`${id} ${step}`], history_base: { id: base, length } };
  return { ...checkpoint(threadId, step, data), id: `${id} ${step}` };
}

/** In each run, each list would take a megabyte or more: as elements, or as places that are not consecutive. */
const BASES: [string, number, (threadId: string) => Promise<unknown[]>][] = [
  [
    'a long base',
    500,
    async (threadId) => {
      const history = numbers(1_000).map((n) => `${n} ${'x'.repeat(1_000)}`);
      await record(server.api, { ...checkpoint(threadId, 0, { history }), id: 'base' });
      return history;
    },
  ],
  [
    'a base of very many pieces',
    150,
    async (threadId) => {
      const all = numbers(24_000);
      const history = all.filter((n) => n % 2 === 0);
      const base = { ...checkpoint(threadId, 1, { history }), id: 'base' };
      await recordEach(server.api, checkpoint(threadId, 0, { history: all }), base);
      return history;
    },
  ],
];

it.each(BASES)(
  'A batch of runs that all go on from %s needs little memory, and each goes on further',
  async (_, runs, make) => {
    const threadId = newThreadId();
    const history = await make(threadId);
    const first = numbers(runs).map((n) => onBase(threadId, `run ${n}`, 0, ['base', history.length]));
    const again = [0, runs - 1].map((n) => onBase(threadId, `run ${n}`, 1, [`run ${n} 0`, history.length + 1]));
    const answer = ok(await server.api.post(EVENTS, { events: [...first, ...again] }));
    expect(answer.json()).toEqual({ saved: runs + 2, rejected: [] });
    // The lists of all runs would exceed this.
    expect(peakMib()).toBeLessThan(450);
    await record(server.api, onBase(threadId, 'run 1', 1, ['run 1 0', history.length + 1]));
    for (const n of [0, 1, runs - 1]) {
      const latest = await latestOf(server.api, threadId, { trace_id: `run ${n}` });
      expect(latest.history).toEqual([...history, `run ${n} 0`, `run ${n} 1`]);
    }
    const untouched = await latestOf(server.api, threadId, { trace_id: 'run 7' });
    expect(untouched.history).toEqual([...history, 'run 7 0']);
  },
);

it('A run with a list of very many pieces goes on with its calls alone, also after a restart', async () => {
  const threadId = newThreadId();
  const all = numbers(2_400);
  const said = all.filter((n) => n % 2 === 0);
  const base = checkpoint(threadId, 1, { history: said });
  await recordEach(server.api, checkpoint(threadId, 0, { history: all }), base);
  for (const step of [2, 2, 3]) {
    await server.restart();
    // Without the history, as clients report a waiting call.
    await record(server.api, waiting({ threadId, traceId: base.data.trace_id as string }, step, { tokens_used: step }));
    const { items } = ok(await server.api.get(`/threads?q=${threadId}`)).json<{ items: { last_message: unknown }[] }>();
    expect(items[0]!.last_message).not.toBeNull();
    expect((await latestOf(server.api, threadId)).history).toEqual(said);
  }
  // Once more in one batch, in which other runs displace it from memory.
  const others = numbers(40).map((n) => ({
    ...checkpoint(threadId, 0, { trace_id: `beside ${n}`, parent_trace_id: base.data.trace_id, history: [`x${n}`] }),
  }));
  await record(server.api, ...others, { ...checkpoint(threadId, 4, { history: [...said, 'more'] }) });
  expect((await latestOf(server.api, threadId, { trace_id: base.data.trace_id as string })).history).toEqual([
    ...said,
    'more',
  ]);
});

it('A batch over many threads holds the long list of one thread at a time', async () => {
  const threadIds = numbers(120).map(() => newThreadId());
  const history = numbers(1_000).map((n) => `${n} ${'x'.repeat(1_000)}`);
  for (const threadId of threadIds) await record(server.api, { ...checkpoint(threadId, 0, { history }), id: 'base' });
  const before = resetPeak(server.process.pid);
  // It omits the last message, so the lists are needed.
  const events = threadIds.map((threadId) => onBase(threadId, 'again', 0, ['base', history.length - 1]));
  expect(ok(await server.api.post(EVENTS, { events })).json()).toEqual({ saved: threadIds.length, rejected: [] });
  expect(peakMegabytes(server.process.pid) - before).toBeLessThan(170);
  for (const threadId of [threadIds[0]!, threadIds.at(-1)!]) {
    const latest = await latestOf(server.api, threadId, { trace_id: 'again' });
    expect(latest.history).toEqual([...history.slice(0, -1), 'again 0']);
  }
});

it('A batch whose threads have too long checkpoints is refused as a whole, and stored in parts', async () => {
  const threadIds = numbers(40).map(() => newThreadId());
  const blob = 'x'.repeat(2_000_000);
  for (const threadId of threadIds) await record(server.api, checkpoint(threadId, 0, { history: ['first'], blob }));
  await server.restart();
  const events = threadIds.map((threadId) => checkpoint(threadId, 1, { history: ['first', 'second'] }));
  const refused = problemOf(await server.api.post(EVENTS, { events }), 413);
  expect(refused.code).toBe('batch_loads_too_much');
  for (const threadId of [threadIds[0]!, threadIds.at(-1)!]) {
    expect((await latestOf(server.api, threadId)).history).toEqual(['first']);
  }
  for (const half of [events.slice(0, 20), events.slice(20)]) await record(server.api, ...half);
  expect((await latestOf(server.api, threadIds[0]!)).history).toEqual(['first', 'second']);
});
