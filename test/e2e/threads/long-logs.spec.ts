import { checkpoint, failed, newThreadId, started } from '../../factories/events.js';
import { problemOf } from '../../support/problem.js';
import { detailOf, ok, record, recordEach, threadPath } from '../../support/recording.js';
import { changeStored } from '../../support/storage.js';
import { useServer } from '../../support/test-server.js';

/** Less than the logs below need beside the program, which takes half of it. */
const server = useServer({ env: { NODE_OPTIONS: '--max-old-space-size=96' } });
const EVENTS = 75_000;

interface LogsPage {
  logs: { message: string; ts: string }[];
  logs_next_cursor?: string | null;
}

async function pageOf(threadId: string, query: Record<string, string>): Promise<LogsPage> {
  return ok(await server.api.get(threadPath(threadId, '', query))).json();
}

/** Far too many to be reported one by one. */
async function storeEvents(threadId: string, count: number): Promise<void> {
  await server.process.stop();
  const note = 'x'.repeat(1_000);
  const thread = `SELECT pk, last_seq FROM thread WHERE id = '${threadId}'`;
  await changeStored(
    server.storage,
    `WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ${count})
     INSERT INTO thread_event(thread_pk, seq, kind, type, run_no, step_index, data, created_at)
     SELECT t.pk, t.last_seq + n, 'log', 'noted', 1, 0, '{"n":' || n || ',"note":"${note}"}', 1800000000000 + n
     FROM (${thread}) AS t CROSS JOIN number`,
  );
  await changeStored(server.storage, `UPDATE thread SET last_seq = last_seq + ${count} WHERE id = '${threadId}'`);
  await server.restart();
}

describe('The logs of a thread', () => {
  it('with 75,000 events are read whole, and page by page, by a server that could not hold them', async () => {
    const threadId = newThreadId('long');
    await record(server.api, started(threadId), checkpoint(threadId, 0));
    await storeEvents(threadId, EVENTS);
    const { logs } = (await detailOf(server.api, threadId)) as unknown as LogsPage;
    const numbers = logs.filter(({ message }) => message.startsWith('noted')).map((entry) => numberIn(entry.message));
    expect(numbers.every((number, at) => number === at + 1)).toBe(true);
    expect(numbers).toHaveLength(EVENTS);
    const first = await pageOf(threadId, { logs_limit: '200' });
    const second = await pageOf(threadId, { logs_limit: '200', logs_cursor: String(first.logs_next_cursor) });
    expect([...first.logs, ...second.logs]).toEqual(logs.slice(0, 400));
  });

  it('come in pages that fit together, whatever the order in which they were reported', async () => {
    const threadId = newThreadId();
    const early = { trace_id: 'run-1a', agent_id: 'researcher', parent_trace_id: 'run-1' };
    const meta = (hour: number) => Array.from({ length: 6 }, () => ({ ts: `2026-02-01T0${hour}:00:00.000Z` }));
    await recordEach(server.api, started(threadId), checkpoint(threadId, 2, { history_meta: meta(5) }));
    await recordEach(server.api, checkpoint(threadId, 2, { ...early, history_meta: meta(4) }), failed(threadId));
    const whole = await pageOf(threadId, {});
    expect(whole).not.toHaveProperty('logs_next_cursor');
    for (const limit of [1, 4, whole.logs.length - 1, whole.logs.length, 200]) {
      const found: unknown[] = [];
      let cursor: string | null | undefined;
      do {
        const query = { logs_limit: String(limit), ...(cursor ? { logs_cursor: cursor } : {}) };
        const page: LogsPage = await pageOf(threadId, query);
        expect(page.logs.length).toBeLessThanOrEqual(limit);
        found.push(...page.logs);
        cursor = page.logs_next_cursor;
      } while (cursor);
      expect(found).toEqual(whole.logs);
    }
    const { logs_next_cursor: third } = await pageOf(threadId, { logs_limit: '3' });
    const rest = await pageOf(threadId, { logs_cursor: String(third) });
    expect(rest).toMatchObject({ logs: whole.logs.slice(3), logs_next_cursor: null });
  });

  it.each([
    ['logs_limit', '0'],
    ['logs_limit', '201'],
    ['logs_limit', 'all'],
    ['logs_cursor', 'x'],
    ['logs_cursor', Buffer.from('["logs",1.5,1,1]').toString('base64url')],
    ['logs_cursor', Buffer.from('["logs",1,1e300,1]').toString('base64url')],
    ['logs_cursor', Buffer.from('["checkpoints",1,1,1]').toString('base64url')],
  ])('%s=%s is a 400 that names it', async (name, value) => {
    const problem = problemOf(await server.api.get(threadPath(newThreadId(), '', { [name]: value })), 400);
    expect(problem.errors).toEqual([expect.objectContaining({ path: name })]);
  });
});

function numberIn(message: string): number {
  return Number(/"n":(\d+)/.exec(message)?.[1]);
}
