import { checkpoint, completed, conversation, newThreadId, started, type RunnerEvent } from '../../factories/events.js';
import type { ApiClient } from '../../support/api-client.js';
import { checkpointsOf, detailOf, EVENTS, latestOf, listOf, record, recordEach } from '../../support/recording.js';
import { useSharedServer } from '../../support/shared-server.js';

const server = useSharedServer();
const WRITERS = 64;

/** Sends everything at the same moment; retries when the queue is full, as a client would. */
async function postAll(api: ApiClient, batches: RunnerEvent[][]): Promise<void> {
  await Promise.all(
    batches.map(async (events) => {
      let answer = await api.post(EVENTS, { events });
      while (answer.status === 503) answer = await api.post(EVENTS, { events });
      expect([answer.status, answer.json()]).toEqual([200, { saved: events.length, rejected: [] }]);
    }),
  );
}

describe('Writers at the same moment', () => {
  it('64 of them in one thread, each with a run of its own, lose nothing', async () => {
    const threadId = newThreadId();
    const steps = [0, 1, 2, 3, 4];
    const writers = Array.from({ length: WRITERS }, (_, index) => ({
      trace_id: `run-${index}`,
      agent_id: `agent-${index}`,
    }));
    await Promise.all(
      writers.map(async (run) => {
        await recordEach(server.api, started(threadId, { ...run, parent_trace_id: 'root' }));
        for (const step of steps) await record(server.api, checkpoint(threadId, step, run));
        await record(server.api, completed(threadId, run));
      }),
    );
    const rows = await checkpointsOf(server.api, threadId);
    for (const { trace_id: trace } of writers) {
      const own = rows.filter((row) => row.trace_id === trace);
      expect(own.map((row) => [row.step_index, row.history])).toEqual(
        steps.map((step) => [step, conversation(2 * step + 2)]),
      );
      expect(own.at(-1)?.status).toBe('completed');
    }
    expect(await detailOf(server.api, threadId)).toMatchObject({ runs: WRITERS });
  });

  it('64 of them with the steps of one run give one run in step order', async () => {
    const threadId = newThreadId();
    await postAll(
      server.api,
      Array.from({ length: WRITERS }, (_, step) => [checkpoint(threadId, step)]),
    );
    const rows = await checkpointsOf(server.api, threadId);
    expect(rows.map((row) => row.step_index)).toEqual(Array.from({ length: WRITERS }, (_, step) => step));
    expect((await latestOf(server.api, threadId)).step_index).toBe(WRITERS - 1);
  });

  it('32 with the same step are one step', async () => {
    const threadId = newThreadId();
    const events = [started(threadId), checkpoint(threadId, 0), completed(threadId)];
    await postAll(
      server.api,
      Array.from({ length: 32 }, () => events),
    );
    expect(await checkpointsOf(server.api, threadId)).toHaveLength(1);
    expect(await detailOf(server.api, threadId)).toMatchObject({
      status: 'completed',
      runs: 1,
      run_list: [{ attempts: 1, steps: 1 }],
    });
  });

  it('32 with different content for the same step leave one of them, whole', async () => {
    const threadId = newThreadId();
    const variants = Array.from({ length: 32 }, (_, n) => ({
      history: conversation(4, ` v${n}`),
      tokens_used: n,
      note: `v${n}`,
    }));
    await postAll(
      server.api,
      variants.map((fields) => [checkpoint(threadId, 1, fields)]),
    );
    const rows = await checkpointsOf(server.api, threadId);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject(variants[rows[0]?.tokens_used ?? -1] ?? {});
  });

  it('in many threads by batches that touch them in different orders do not block one another', async () => {
    const ids = Array.from({ length: 8 }, () => newThreadId('crossing'));
    const batches = Array.from({ length: 40 }, (_, step) => {
      const order = step % 2 === 0 ? ids : [...ids].reverse();
      return order.map((id) => checkpoint(id, step, { history: [step] }));
    });
    await postAll(server.api, batches);
    for (const id of ids) expect(await checkpointsOf(server.api, id)).toHaveLength(40);
    expect(await listOf(server.api, { q: 'crossing', count: 'true' })).toMatchObject({ total: 8 });
  });

  it('and readers at the same moment never see half of a batch', async () => {
    const threadId = newThreadId();
    const pair = (n: number) => [
      checkpoint(threadId, n, { history: [n], tokens_used: n }),
      checkpoint(threadId, n, { trace_id: 'run-2', history: [n], tokens_used: n }),
    ];
    await record(server.api, ...pair(0));
    const writing = { isDone: false };
    const writer = (async () => {
      for (let n = 1; n <= 60; n++) await record(server.api, ...pair(n));
      writing.isDone = true;
    })();
    const odd: unknown[] = [];
    while (!writing.isDone) {
      const total = (await listOf(server.api, { q: threadId })).items[0]?.total_tokens;
      if (Number(total) % 2 !== 0) odd.push(total);
    }
    await writer;
    expect(odd).toEqual([]);
  });
});
