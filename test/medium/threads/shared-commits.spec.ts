import { checkpoint, newThreadId, started, type Fields } from '../../factories/events.js';
import { newRun, toolCall, waiting, working, type RunIds } from '../../factories/waiting.js';
import type { Answer } from '../../support/api-client.js';
import { approvalOf } from '../../support/approvals.js';
import { cancel } from '../../support/cancel.js';
import { claim as claimEffect, gist } from '../../support/effects.js';
import { inOneGroup } from '../../support/held-writer.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { claim, fenced, outcomesOf, release, type Lease } from '../../support/leases.js';
import { EVENTS, listOf, ok, record, threadPath } from '../../support/recording.js';

let server: InProcessApp;

beforeAll(async () => {
  server = await startApp();
});
afterAll(() => server.stop());

describe('Requests that share a commit', () => {
  it('one of many first claims gets the lease', async () => {
    const threadId = newThreadId();
    const claims = Array.from({ length: 10 }, (_, n) => () => claim(server.api, threadId, `process ${n}`));
    const answers = await inOneGroup(server, ...claims);
    expect(answers.map(({ status }) => status)).toEqual([201, ...Array.from({ length: 9 }, () => 409)]);
    const { fence } = answers[0]!.json<Lease>();
    expect(await outcomesOf(server.api, fenced(checkpoint(threadId, 0), fence))).toEqual(['saved']);
  });

  it('a report without a fence is refused behind the first claim', async () => {
    const threadId = newThreadId();
    const [claimed, reported] = await inOneGroup<unknown>(
      server,
      () => claim(server.api, threadId, 'holder').then((answer) => answer.json<Lease>().fence),
      () => outcomesOf(server.api, checkpoint(threadId, 0)),
    );
    expect(reported).toEqual(['stale_fence']);
    expect(await outcomesOf(server.api, fenced(checkpoint(threadId, 0), claimed as number))).toEqual(['saved']);
  });

  it('the lease of a run that a report begins is given back behind it', async () => {
    const threadId = newThreadId();
    const answer = await claim(server.api, threadId, 'holder');
    const { fence } = answer.json<Lease>();
    await inOneGroup<unknown>(
      server,
      () => outcomesOf(server.api, fenced(checkpoint(threadId, 0), fence)),
      () => release(server.api, threadId, fence),
      () => claim(server.api, threadId, 'next'),
    );
    expect(await outcomesOf(server.api, fenced(checkpoint(threadId, 1), fence))).toEqual(['stale_fence']);
  });

  it('the claim of an effect hears of the approval that the report before it opens', async () => {
    const run = newRun();
    const call = toolCall('refund', { order: 4711 }, 'call-1');
    await record(server.api, working(run, 0));
    const own = { trace_id: run.traceId, call_id: 'call-1' };
    const [, claimed] = await inOneGroup(
      server,
      () => report(waiting(run, 1, { pending_tool_calls: [call] })),
      () => claimEffect(server.api, run.threadId, own),
    );
    expect(gist(claimed!)).toBe('409 approval_pending');
  });

  it('a refused report leaves no thread behind for those after it', async () => {
    const source = newThreadId();
    await record(server.api, checkpoint(source, 0));
    const lines = ok(await server.api.get(`/v1/threads/${source}/export`)).text;
    const [threadId, imported] = [newThreadId(), newThreadId()];
    const path = `/v1/threads/import?as=${imported}`;
    const answers = await inOneGroup(
      server,
      () => report(fenced(checkpoint(threadId, 0), 5), fenced(checkpoint(imported, 0), 5)),
      () => cancel(server.api, threadId),
      () => server.api.delete(threadPath(threadId)),
      () => server.api.post(path, lines, { headers: { 'content-type': 'application/x-ndjson' } }),
    );
    expect(answers.map(gistOf)).toEqual(['400 no_event_saved', '404 thread_not_found', '404 thread_not_found', '201']);
    expect((await server.api.get(threadPath(threadId))).status).toBe(404);
  });

  it('a refused claim of a lease leaves no thread behind, either, and the next report begins it', async () => {
    const threadId = newThreadId();
    const answers = await inOneGroup(
      server,
      () => claim(server.api, threadId, 'holder', { fence: 5 }),
      () => cancel(server.api, threadId),
      () => report(started(threadId)),
    );
    expect(answers.map(gistOf)).toEqual(['409 stale_fence', '404 thread_not_found', '200']);
    expect((await listOf(server.api, { q: threadId })).items).toHaveLength(1);
  });

  it('the tokens of a report are in the statistics although its thread is deleted behind it', async () => {
    const [threadId, agent] = [newThreadId(), newThreadId('agent')];
    await record(server.api, checkpoint(threadId, 0, { agent_id: agent, tokens_used: 5 }));
    const answers = await inOneGroup(
      server,
      () => report(checkpoint(threadId, 1, { agent_id: agent, tokens_used: 40 })),
      () => server.api.delete(threadPath(threadId)),
    );
    expect(answers.map(gistOf)).toEqual(['200', '204']);
    const stats = ok(await server.api.get(`/v1/stats?agent_id=${agent}`));
    expect(stats.json<{ totals: { tokens: number } }>().totals.tokens).toBe(40);
  });

  it('the last message is that of the first report where the second has none', async () => {
    const threadId = newThreadId();
    await inOneGroup(
      server,
      () => report(checkpoint(threadId, 0, { history: [{ role: 'user', content: 'Pay it.' }] })),
      () => report(checkpoint(threadId, 0, { trace_id: 'run-2', agent_id: 'other', history: [] })),
    );
    const { items } = await listOf(server.api, { q: threadId });
    expect(items[0]).toMatchObject({ last_message: { text: 'Pay it.' } });
  });

  it('an approval names the parent that its run had when it was opened', async () => {
    const run = newRun();
    await inOneGroup(
      server,
      () => report(waiting(run, 1)),
      () => report(working(run, 0, { parent_trace_id: 'caller' })),
    );
    expect(await approvalOf(server.api, run, 1)).toMatchObject({ status: 'pending', parent_trace_id: null });
  });

  it('changes are numbered as one by one, those of approvals before the changes of later requests', async () => {
    const [grouped, single] = [newRun(), newRun()];
    const storyOf = (run: RunIds) => [
      () => report(working(run, 0)),
      () => report(waiting(run, 1)),
      () => report(started(run.threadId, { trace_id: run.traceId, agent_id: 'other' })),
      () => report(working(run, 2)),
      () => report(started(run.threadId, { trace_id: run.traceId })),
      () => report(waiting(run, 3)),
      () => cancel(server.api, run.threadId, run.traceId),
    ];
    await inOneGroup(server, ...storyOf(grouped));
    for (const request of storyOf(single)) await request();
    const changes = await changesOf(single);
    expect(changes.filter(([kind]) => kind === 'approval')).toHaveLength(4);
    expect(await changesOf(grouped)).toEqual(changes);
  });
});

/** The stored change numbers of a thread's checkpoints and events, and its last one. */
async function changesOf({ threadId }: RunIds): Promise<unknown[][]> {
  const rows: unknown[][] = [];
  for (const line of ok(await server.api.get(`/v1/threads/${threadId}/export`))
    .text.trim()
    .split('\n')) {
    const { thread, checkpoint: step, thread_event: event } = JSON.parse(line) as Record<string, Fields | undefined>;
    if (thread) rows.push(['thread', thread.latest_seq, thread.last_seq]);
    if (step) rows.push(['checkpoint', step.seq, step.rev, step.step_index]);
    if (event) rows.push([event.kind, event.seq, event.type, event.step_index]);
  }
  return rows;
}

function report(...events: object[]): Promise<Answer> {
  return server.api.post(EVENTS, { events });
}

/** The status, and the code of a problem. */
function gistOf(answer: Answer): string {
  return answer.status < 400 ? String(answer.status) : `${answer.status} ${answer.json<{ code: string }>().code}`;
}
