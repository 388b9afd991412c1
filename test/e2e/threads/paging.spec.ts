import { checkpoint, newThreadId } from '../../factories/events.js';
import { checkpointsOf, listOf, ok, record, threadPath, type Checkpoint, type Page } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';

const server = useServer();

async function walk(query: Record<string, string>, between = async () => {}): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<Record<string, unknown>> = await listOf(server.api, cursor ? { ...query, cursor } : query);
    expect(page.items.length).toBeLessThanOrEqual(Number(query.limit));
    ids.push(...page.items.map((item) => String(item.thread_id)));
    cursor = page.next_cursor;
    await between();
  } while (cursor !== null);
  return ids;
}

describe('Walking through a list page by page', () => {
  const ids = Array.from({ length: 25 }, (_, index) => `paged-${String(index).padStart(2, '0')}`);

  beforeAll(async () => {
    // One batch, so that many share their times; tokens repeat, so that every sort has ties.
    await record(
      server.api,
      ...ids.map((id, index) => checkpoint(id, 0, { tokens_used: index % 3, run_cost_usd: 0.1 })),
    );
  });

  it.each(['updated_at', 'started_at', 'total_tokens', 'total_cost_usd'])(
    'finds every thread exactly once by %s, whatever the size of the pages',
    async (sort) => {
      for (const order of ['asc', 'desc']) {
        for (const limit of ['1', '7', '25', '200']) {
          const walked = await walk({ q: 'paged-', sort, order, limit });
          expect([...walked].sort()).toEqual(ids);
        }
      }
    },
  );

  it('neither repeats nor loses a thread because new ones arrive meanwhile', async () => {
    let count = 0;
    const walked = await walk({ q: 'paged-', limit: '4' }, () =>
      record(server.api, checkpoint(`paged-new-${count++}`, 0)),
    );
    expect(walked.filter((id) => !id.startsWith('paged-new')).sort()).toEqual(ids);
    expect(new Set(walked).size).toBe(walked.length);
  });

  it('gives no cursor with the last page', async () => {
    expect((await listOf(server.api, { q: 'paged-0', limit: '10' })).next_cursor).toBeNull();
  });
});

describe('Checkpoints', () => {
  const threadId = newThreadId();

  beforeAll(async () => {
    await record(
      server.api,
      ...Array.from({ length: 120 }, (_, step) => checkpoint(threadId, step, { history: [step] })),
    );
  });

  it('come all at once without a limit', async () => {
    const answer = ok(await server.api.get(threadPath(threadId, '/checkpoints'))).json<Page<Checkpoint>>();
    expect(answer.items).toHaveLength(120);
    expect(answer.next_cursor).toBeNull();
  });

  it('can be read in pages', async () => {
    const steps: number[] = [];
    let cursor: string | null = null;
    do {
      const query: Record<string, string> = { limit: '50', ...(cursor === null ? {} : { cursor }) };
      const page: Page<Checkpoint> = ok(await server.api.get(threadPath(threadId, '/checkpoints', query))).json();
      steps.push(...page.items.map((row) => row.step_index));
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(steps).toEqual(Array.from({ length: 120 }, (_, step) => step));
  });

  it('can be those of one run or agent', async () => {
    const child = { trace_id: 'run-1a', agent_id: 'researcher', parent_trace_id: 'run-1', history: [] };
    await record(server.api, checkpoint(threadId, 0, child), checkpoint(threadId, 1, child));
    expect(await checkpointsOf(server.api, threadId, { trace_id: 'run-1a' })).toHaveLength(2);
    expect(await checkpointsOf(server.api, threadId, { agent_id: 'support' })).toHaveLength(120);
    expect(await checkpointsOf(server.api, threadId, { agent_id: 'nobody' })).toEqual([]);
  });
});
