import { completed, newThreadId } from '../../factories/events.js';
import { newRun, waiting, working, type RunIds } from '../../factories/waiting.js';
import { axeViolations } from '../../support/console/axe.js';
import { describeInBrowser, useConsole } from '../../support/console/use-console.js';
import { detailOf, EVENTS, ok, record } from '../../support/recording.js';
import { useSharedServer } from '../../support/shared-server.js';

const server = useSharedServer();

describeInBrowser('"Cancel all" in the console', () => {
  const openPage = useConsole(server);
  const agent_id = newThreadId('agent');
  const path = `/?agent=${encodeURIComponent(agent_id)}`;

  const runsOf = async ({ threadId }: RunIds) => {
    const { run_list: runs } = (await detailOf(server.api, threadId)) as { run_list: Record<string, string>[] };
    return runs.map(({ trace_id, status, cancel_reason }) => [trace_id, status, cancel_reason]);
  };

  it('ends what runs, waits or is queued among the listed threads, and nothing else', async () => {
    const [running, asking, ended, other, parent, own] = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) =>
      newRun(`all-${name}`),
    );
    const child = { ...parent!, traceId: `${parent!.traceId}-child` };
    const queued = newRun('all-queued');
    await record(
      server.api,
      working(running!, 0, { agent_id }),
      waiting(asking!, 1, { agent_id }),
      working(ended!, 0, { agent_id }),
      completed(ended!.threadId, { trace_id: ended!.traceId, agent_id }),
      working(other!, 0, { agent_id: `${agent_id}-other` }),
      working(parent!, 0, { agent_id }),
      working(child, 0, { agent_id, parent_trace_id: parent!.traceId }),
      working(own!, 0, { agent_id, status: 'thinking' }),
    );
    const waits = { thread_id: queued.threadId, trace_id: queued.traceId, queued_at: new Date().toISOString() };
    const beat = { agent_id, process_id: 'process-1', queued_runs: [waits] };
    ok(await server.api.post(EVENTS, { events: [{ type: 'heartbeat', data: beat }] }));

    const page = await openPage({ path });
    await page.getByRole('button', { name: 'Cancel all' }).click();
    await page.getByText('The runs of 4 threads that match the filters end now').waitFor();
    await page.getByText('1 queued run will never start.').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByLabel('Reason').fill('wrong prices');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel all' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    const cancelled = ({ traceId }: RunIds) => [traceId, 'cancelled', 'wrong prices'];
    expect(await runsOf(running!)).toEqual([cancelled(running!)]);
    expect(await runsOf(asking!)).toEqual([cancelled(asking!)]);
    expect(await runsOf(own!)).toEqual([cancelled(own!)]);
    expect(await runsOf(queued)).toEqual([cancelled(queued)]);
    expect((await runsOf(parent!)).map(([, status]) => status)).toEqual(['cancelled', 'cancelled']);
    expect((await runsOf(ended!))[0]![1]).toBe('completed');
    expect((await runsOf(other!))[0]![1]).toBe('in_progress');
    // Nothing is left to cancel.
    await page.getByRole('button', { name: 'Cancel all' }).waitFor({ state: 'detached' });
  });

  it('is offered to those who may cancel', async () => {
    const run = newRun('all-read');
    await record(server.api, working(run, 0, { agent_id }));
    const { token } = (await server.api.post('/v1/tokens', { scope: 'approver' })).json<{ token: string }>();
    const page = await openPage({ path }, token);
    await page.getByRole('link', { name: run.threadId }).waitFor();
    expect(await page.getByRole('button', { name: 'Cancel all' }).count()).toBe(0);
  });
});
