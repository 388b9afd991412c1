import { newThreadId } from '../../factories/events.js';
import { newRun, REFUND, waiting, working } from '../../factories/waiting.js';
import { approvalPage, approvalsOf, decided, pendingCountOf, statusesOf } from '../../support/approvals.js';
import { problemOf } from '../../support/problem.js';
import { detailOf, ok, record } from '../../support/recording.js';
import { useSharedServer } from '../../support/shared-server.js';

const server = useSharedServer();
const TOTAL = 230;

describe('The list of approvals', () => {
  const agent = 'lister';
  const runs = Array.from({ length: TOTAL }, (_, n) => newRun(`listed-${n}`));
  const query = { agent_id: agent };

  beforeAll(async () => {
    for (let at = 0; at < TOTAL; at += 50) {
      await record(server.api, ...runs.slice(at, at + 50).map((run) => waiting(run, 3, { agent_id: agent })));
    }
    for (const run of runs.slice(0, 5)) await decided(server.api, 'approve', run, 3);
    for (const run of runs.slice(5, 8)) await decided(server.api, 'reject', run, 3);
    await record(server.api, working(runs[8]!, 4, { agent_id: agent }));
  });

  it('holds the pending ones, the oldest first, page by page', async () => {
    const traces: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const from: Record<string, string> = cursor === '' ? {} : { cursor };
      const page: Awaited<ReturnType<typeof approvalPage>> = await approvalPage(server.api, {
        ...query,
        ...from,
        limit: '40',
        count: 'true',
      });
      expect(page.items.length).toBeLessThanOrEqual(40);
      expect(page.total).toBe(TOTAL - 9);
      traces.push(...page.items.map(({ trace_id }) => trace_id));
      cursor = page.next_cursor;
    }
    expect(traces).toEqual(runs.slice(9).map(({ traceId }) => traceId));
  });

  it('has 50 on a page unless told otherwise, and no total unless asked', async () => {
    const page = await approvalPage(server.api, query);
    expect(page.items).toHaveLength(50);
    expect(page).not.toHaveProperty('total');
    expect((await approvalPage(server.api, { ...query, limit: '200' })).items).toHaveLength(200);
  });

  it.each([
    ['pending', TOTAL - 9],
    ['approved', 5],
    ['rejected', 3],
    ['superseded', 1],
    ['expired', 0],
    ['decided', 8],
    ['all', TOTAL],
  ])('of status %s', async (status, total) => {
    const page = await approvalPage(server.api, { ...query, status, count: 'true' });
    expect(page.total).toBe(total);
    if (status !== 'all' && status !== 'decided') expect(page.items.every((item) => item.status === status)).toBe(true);
  });

  it('holds the decided ones with the last decision first, page by page', async () => {
    const last = runs.slice(0, 8).toReversed();
    const first = await approvalPage(server.api, { ...query, status: 'decided', limit: '5' });
    const rest = await approvalPage(server.api, { ...query, status: 'decided', cursor: first.next_cursor! });
    expect([...first.items, ...rest.items].map(({ trace_id }) => trace_id)).toEqual(last.map(({ traceId }) => traceId));
    expect(rest.next_cursor).toBeNull();
    const mixed = await server.api.get(`/approvals?cursor=${first.next_cursor}`);
    expect(problemOf(mixed, 400).errors).toMatchObject([{ path: 'cursor' }]);
  });

  it('of one thread, and of one agent in it', async () => {
    const threadId = newThreadId();
    const own = [newRun(), newRun(), newRun()].map((run) => ({ ...run, threadId }));
    for (const [n, run] of own.entries()) {
      await record(server.api, waiting(run, n, { agent_id: `agent-${n % 2}`, parent_trace_id: 'root' }));
    }
    expect((await approvalsOf(server.api, threadId)).map(({ step }) => step)).toEqual([0, 1, 2]);
    expect((await approvalsOf(server.api, threadId, { agent_id: 'agent-0', limit: '1' })).length).toBe(2);
    expect(await approvalsOf(server.api, 'unknown')).toEqual([]);
    expect(await approvalsOf(server.api, threadId, { agent_id: 'unknown' })).toEqual([]);
    expect(await approvalsOf(server.api, "x' OR '1'='1")).toEqual([]);
  });

  it('of one run, and of one step in it', async () => {
    const run = newRun();
    const twin = { ...run, threadId: newThreadId() };
    await record(server.api, waiting(run, 1), waiting(run, 2), waiting(twin, 2));
    const outline = async (query: Record<string, string>) =>
      (await approvalPage(server.api, { status: 'all', trace_id: run.traceId, ...query })).items.map(
        ({ thread_id, step, status }) => [thread_id, step, status],
      );
    const later = [
      [run.threadId, 2, 'pending'],
      [twin.threadId, 2, 'pending'],
    ];
    expect(await outline({})).toEqual([[run.threadId, 1, 'superseded'], ...later]);
    expect(await outline({ step: '2' })).toEqual(later);
    expect(await outline({ step: '2', thread_id: twin.threadId })).toEqual(later.slice(1));
    expect(await outline({ step: '3' })).toEqual([]);
  });

  it('loses and doubles nothing while approvals close and open between two pages', async () => {
    const threadId = newThreadId();
    const own = Array.from({ length: 12 }, () => ({ ...newRun(), threadId }));
    const open = (run: (typeof own)[number]) => waiting(run, 0, { agent_id: run.traceId, parent_trace_id: 'root' });
    for (const run of own.slice(0, 10)) await record(server.api, open(run));
    const first = await approvalPage(server.api, { thread_id: threadId, limit: '4' });
    for (const run of [own[0]!, own[3]!, own[5]!]) await decided(server.api, 'approve', run, 0);
    for (const run of own.slice(10)) await record(server.api, open(run));
    const rest = await approvalsOf(server.api, threadId, { cursor: first.next_cursor! });
    expect(rest.map(({ trace_id }) => trace_id)).toEqual(
      own.filter((_, n) => n >= 4 && n !== 5).map(({ traceId }) => traceId),
    );
  });

  it.each([
    ['status=waiting', 'status'],
    ['status=pending&status=approved', 'status'],
    ['limit=0', 'limit'],
    ['limit=201', 'limit'],
    ['limit=ten', 'limit'],
    ['cursor=made-up', 'cursor'],
    ['count=maybe', 'count'],
    ['agent_id=a&agent_id=b', 'agent_id'],
    ['thread_id=a&thread_id=b', 'thread_id'],
    ['trace_id=a&trace_id=b', 'trace_id'],
    ['step=one', 'step'],
    ['step=1&step=2', 'step'],
  ])('refuses %s', async (text, path) => {
    const problem = problemOf(await server.api.get(`/approvals?${text}`), 400);
    expect(problem.errors).toEqual([expect.objectContaining({ path })]);
  });

  it('refuses the cursor of another list', async () => {
    const { next_cursor: cursor } = ok(await server.api.get('/threads?limit=1')).json<{ next_cursor: string }>();
    problemOf(await server.api.get(`/approvals?cursor=${cursor}`), 400);
  });
});

describe('A call that is no object', () => {
  it.each([null, 7, 'ping', true])('is listed as it was reported (%j)', async (call) => {
    const run = newRun();
    await record(server.api, waiting(run, 1, { pending_tool_calls: [REFUND, call] }));
    const [found] = await approvalsOf(server.api, run.threadId);
    expect(found!.tool_calls[1]).toMatchObject({ name: null, args: call });
    await decided(server.api, 'reject', run, 1);
  });
});

describe('A thread that is deleted', () => {
  it('takes its approvals with it, and a new one of its name begins without any', async () => {
    const run = newRun();
    await record(server.api, waiting(run, 1));
    await decided(server.api, 'approve', run, 1);
    await record(server.api, waiting(run, 2));
    expect(await detailOf(server.api, run.threadId)).toMatchObject({ pending_approvals: 1 });
    expect((await server.api.delete(`/threads/${run.threadId}`)).status).toBe(204);
    expect(await approvalsOf(server.api, run.threadId, { status: 'all' })).toEqual([]);
    for (const step of [1, 2]) {
      problemOf(await server.api.post(`/approvals/${run.traceId}/${step}/approve`), 404);
    }
    const everything = await approvalPage(server.api, { status: 'all', count: 'true', limit: '200' });
    expect(everything.items.some(({ thread_id: id }) => id === run.threadId)).toBe(false);
    await record(server.api, waiting(run, 1));
    expect(await statusesOf(server.api, run.threadId)).toEqual(['1 pending']);
    expect(await pendingCountOf(server.api, run.threadId)).toBe(1);
    await decided(server.api, 'reject', run, 1);
  });
});
