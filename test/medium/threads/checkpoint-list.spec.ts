import { get, type IncomingMessage } from 'node:http';
import { Database } from '../../../src/database/database.js';
import type { LongReport } from '../../../src/modules/threads/checkpoints/report-row.js';
import { ThreadCheckpointsRepository } from '../../../src/modules/threads/checkpoints/thread-checkpoints.repository.js';
import {
  ThreadStepsRepository,
  type LongStep,
} from '../../../src/modules/threads/checkpoints/thread-steps.repository.js';
import { ThreadTurnsRepository } from '../../../src/modules/threads/turns/thread-turns.repository.js';
import { checkpoint, completed, conversation, newThreadId, started } from '../../factories/events.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import {
  checkpointsOf,
  detailOf,
  ok,
  record,
  recordEach,
  threadPath,
  type Checkpoint,
  type Page,
} from '../../support/recording.js';
import { changeStored } from '../../support/storage.js';
import { waitFor } from '../../support/wait.js';

let server: InProcessApp;

beforeAll(async () => {
  server = await startApp();
});
afterAll(() => server.stop());

/** The expected result of `history=new`: the messages that were not in the run's previous history. */
function expectedNew(whole: readonly Checkpoint[]): unknown[][] {
  const last = new Map<string, string[]>();
  return whole.map(({ trace_id, history }) => {
    const before = last.get(trace_id) ?? [];
    if (history.length > 0)
      last.set(
        trace_id,
        history.map((message) => JSON.stringify(message)),
      );
    return history.filter((message) => !before.includes(JSON.stringify(message)));
  });
}

describe('The checkpoints with history=new', () => {
  const threadId = newThreadId();
  const child = { trace_id: 'run-1a', parent_trace_id: 'run-1', agent_id: 'researcher' };

  beforeAll(async () => {
    const whole = conversation(12);
    const waiting = { history: [], history_meta: [{ ts: '2026-01-01T00:00:00.000Z' }], status: 'waiting_for_approval' };
    await recordEach(server.api, started(threadId), checkpoint(threadId, 0), checkpoint(threadId, 0, child));
    await recordEach(
      server.api,
      checkpoint(threadId, 1, waiting),
      checkpoint(threadId, 2),
      checkpoint(threadId, 1, child),
    );
    await record(server.api, checkpoint(threadId, 3, { history: whole.slice(4, 8) }));
    await record(server.api, checkpoint(threadId, 4, { agent_id: 'other', history: whole.slice(4, 10) }));
    await record(server.api, checkpoint(threadId, 5, { history: whole.slice(4, 12) }));
    const summarised = [whole[4]!, { role: 'user', content: 'what was said so far' }, ...whole.slice(9, 12)];
    await record(server.api, checkpoint(threadId, 6, { history: summarised }), completed(threadId));
    await record(server.api, checkpoint(threadId, 0, { history: [...whole, { role: 'user', content: 'again' }] }));
  });

  it('add up to the histories, trimmed ones, empty ones and another attempt included', async () => {
    const whole = await checkpointsOf(server.api, threadId);
    const added = await checkpointsOf(server.api, threadId, { history: 'new' });
    expect(whole).toHaveLength(10);
    expect(added.map(({ history }) => history)).toEqual(expectedNew(whole));
    for (const row of added.filter(({ history }) => history.length > 0)) {
      expect(row.history_meta).toHaveLength(row.history.length);
    }
  });

  it('are the messages that the logs tell, each once', async () => {
    const added = await checkpointsOf(server.api, threadId, { history: 'new' });
    const { logs } = await detailOf(server.api, threadId);
    const told = (logs as { kind: string; message: string }[]).filter(({ kind }) => kind !== 'event');
    const said = new Set(added.flatMap(({ history }) => history.map(({ content }) => String(content))));
    expect(told.map(({ message }) => message).sort()).toEqual([...said].sort());
  });

  it('are the same however they are paged and filtered', async () => {
    const added = await checkpointsOf(server.api, threadId, { history: 'new' });
    const filters: Record<string, string>[] = [
      {},
      { trace_id: 'run-1' },
      { trace_id: 'run-1a' },
      { agent_id: 'support' },
      { agent_id: 'other' },
    ];
    for (const filter of filters) {
      const wanted = added.filter((row) => Object.entries(filter).every(([name, value]) => row[name] === value));
      for (const limit of ['1', '2', '5']) expect(await walk({ ...filter, history: 'new', limit })).toEqual(wanted);
    }
  });

  async function walk(query: Record<string, string>): Promise<Checkpoint[]> {
    const rows: Checkpoint[] = [];
    let cursor: string | null = null;
    do {
      const path = threadPath(threadId, '/checkpoints', cursor === null ? query : { ...query, cursor });
      const page: Page<Checkpoint> = ok(await server.api.get(path)).json();
      expect(page.items.length).toBeLessThanOrEqual(Number(query.limit));
      rows.push(...page.items);
      cursor = page.next_cursor;
    } while (cursor !== null);
    return rows;
  }
});

describe('A long list of checkpoints', () => {
  /** Starts reading, and stops after the first bytes. */
  function begin(path: string): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const call = get(
        new URL(server.api.baseUrl + path),
        { headers: server.api.headersFor(), agent: false },
        (response) => {
          response.once('data', () => {
            response.pause();
            resolve(response);
          });
        },
      );
      call.on('error', reject);
    });
  }

  async function recordLong(): Promise<string> {
    const threadId = newThreadId('long');
    const whole = conversation(400, ` ${'x'.repeat(2000)}`);
    const steps = Array.from({ length: 200 }, (_, step) =>
      checkpoint(threadId, step, { history: whole.slice(0, 2 * (step + 1)) }),
    );
    for (let at = 0; at < steps.length; at += 20) await record(server.api, ...steps.slice(at, at + 20));
    return threadId;
  }

  it('is cut off, not ended, when its thread is deleted meanwhile', async () => {
    const threadId = await recordLong();
    const response = await begin(threadPath(threadId, '/checkpoints'));
    await server.api.delete(threadPath(threadId));
    let isCut = false;
    response.on('error', () => (isCut = true));
    response.on('end', () => (isCut = !response.complete));
    response.resume();
    await waitFor('the end of the answer', () => response.closed || response.complete);
    expect([isCut, response.complete]).toEqual([true, false]);
  });

  it('is not read any further when the client has gone', async () => {
    const threadId = await recordLong();
    const database = server.app.get(Database, { strict: false });
    const read = database.read.bind(database);
    let reads = 0;
    database.read = (sql, params) => {
      // The server also reads for its own purposes.
      if (/FROM (thread|checkpoint|message)\b/.test(sql)) reads += 1;
      return read(sql, params);
    };
    const response = await begin(threadPath(threadId, '/checkpoints'));
    response.destroy();
    await waitFor('the server to notice', async () => {
      const before = reads;
      await new Promise((resolve) => setTimeout(resolve, 200));
      return reads === before;
    });
    database.read = read;
    expect(reads).toBeLessThan(20);
  });
});

describe('A checkpoint whose list goes on from that of another', () => {
  it.each([
    ['the row', 1],
    ['a row before the one', 0],
  ])('is not found where %s that it goes on from has gone with its thread already', async (_, gone) => {
    const threadId = newThreadId();
    const [first, second, third] = [2, 3, 4].map((count, step) => {
      return checkpoint(threadId, step, { history: conversation(count) });
    });
    await record(server.api, first!, second!, third!);
    const rows = await server.app
      .get(Database, { strict: false })
      .read<{ pk: number; seq: number }>(
        'SELECT t.pk, c.seq FROM checkpoint c JOIN thread t ON t.pk = c.thread_pk WHERE t.id = $1 ORDER BY c.seq',
        [threadId],
      );
    const [base, next, last] = rows.map(({ seq }) => seq) as [number, number, number];
    const { pk } = rows[0]!;
    const goOn = (seq: number, [history, from, length]: readonly [string, number, number]) =>
      changeStored(
        server.storage,
        `UPDATE checkpoint SET history = '${history}', history_from = ${from}, history_from_length = ${length}
         WHERE thread_pk = ${pk} AND seq = ${seq}`,
      );
    await goOn(next, ['2', base, 3]);
    await goOn(last, ['3', next, 5]);
    const [checkpoints, steps, turns] = [ThreadCheckpointsRepository, ThreadStepsRepository, ThreadTurnsRepository].map(
      (type) => server.app.get<object>(type, { strict: false }),
    ) as [ThreadCheckpointsRepository, ThreadStepsRepository, ThreadTurnsRepository];
    const report = { seq: last, isLong: true };
    const run = (await turns.findRuns(threadId, 'run-1'))![0]!;
    const place = { run_no: 1, attempt: 1, step_index: 2 };
    const readings = [
      async () => (await checkpoints.wholeReport(pk, report as LongReport)).history,
      async () => (await steps.whole(pk, report as LongStep)).history,
      async () => checkpoints.lastList(pk, place, 'history'),
      async () => (await turns.findLastLists(run, 0))?.history ?? null,
    ];
    const read = () =>
      Promise.all(readings.map((one) => one().catch((error: unknown) => (error as { kind: unknown }).kind)));
    expect(await read()).toEqual(Array(4).fill('0-1,2,3'));
    await changeStored(
      server.storage,
      `DELETE FROM checkpoint WHERE thread_pk = ${pk} AND seq = ${[base, next][gone]}`,
    );
    expect(await read()).toEqual([...Array<string>(3).fill('not_found'), null]);
  });
});
