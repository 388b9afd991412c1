import { checkpoint, completed, conversation, newThreadId, otherCheckpoint, started } from '../../factories/events.js';
import { waiting, working, type RunIds } from '../../factories/waiting.js';
import { decided } from '../../support/approvals.js';
import { EventStream } from '../../support/event-stream.js';
import { detailOf, latestOf, latestPath, listOf, ok, record, threadPath } from '../../support/recording.js';
import { useSharedServer } from '../../support/shared-server.js';

const server = useSharedServer();

/** A run that names its caller. */
function calledBy(parent: string, trace: string): Record<string, string> {
  return { trace_id: trace, agent_id: `agent-of-${trace}`, parent_trace_id: parent };
}

/** Trace, step and status as each reader sees them: all must agree. */
async function shownOf(threadId: string): Promise<string> {
  const { items } = await listOf(server.api, { q: threadId });
  const stream = await EventStream.open(server.api, threadPath(threadId, '/stream'));
  const first = await stream.until('the first event', ({ seen }) => seen.length > 0).then(() => stream.seen[0]!);
  stream.close();
  const told = [await latestOf(server.api, threadId), await detailOf(server.api, threadId), items[0]!, first.data];
  const outlines = told.map((one) => {
    const row = (typeof one === 'string' ? JSON.parse(one) : one) as Record<string, unknown>;
    return `${String(row.trace_id)}/${String(row.step_index)} ${String(row.status)} ${String(row.parent_trace_id)}`;
  });
  expect(new Set(outlines).size).toBe(1);
  return outlines[0]!;
}

async function etagOf(threadId: string): Promise<string> {
  return String(ok(await server.api.get(latestPath(threadId))).headers.etag);
}

describe('A thread in which an agent calls others', () => {
  it('shows the caller while they work, so that it finds its own memory when it dies meanwhile', async () => {
    const threadId = newThreadId();
    await record(
      server.api,
      started(threadId),
      checkpoint(threadId, 0, { history: conversation(2, ' of the caller') }),
    );
    const sub = calledBy('run-1', 'sub');
    await record(server.api, started(threadId, sub), checkpoint(threadId, 0, sub), checkpoint(threadId, 1, sub));
    expect(await shownOf(threadId)).toBe('run-1/0 in_progress null');
    await record(
      server.api,
      started(threadId, calledBy('sub', 'below')),
      checkpoint(threadId, 0, calledBy('sub', 'below')),
    );
    expect(await shownOf(threadId)).toBe('run-1/0 in_progress null');
    expect((await latestOf(server.api, threadId)).history).toEqual(conversation(2, ' of the caller'));
    await record(server.api, completed(threadId, sub));
    expect(await shownOf(threadId)).toBe('run-1/0 in_progress null');
    await record(server.api, completed(threadId));
    expect(await shownOf(threadId)).toBe('run-1/0 completed null');
    expect((await listOf(server.api, { status: 'completed', q: threadId })).items).toHaveLength(1);
  });

  it('shows a sub-run that waits, and the decision until its next report', async () => {
    const sub: RunIds = { threadId: newThreadId(), traceId: `sub-${newThreadId()}` };
    const parent = { parent_trace_id: 'run-1', agent_id: 'researcher' };
    await record(server.api, started(sub.threadId), checkpoint(sub.threadId, 0), working(sub, 0, parent));
    expect(await shownOf(sub.threadId)).toBe('run-1/0 in_progress null');
    await record(server.api, waiting(sub, 1, parent));
    expect(await shownOf(sub.threadId)).toBe(`${sub.traceId}/1 waiting_for_approval run-1`);
    await decided(server.api, 'approve', sub, 1);
    expect(await shownOf(sub.threadId)).toBe(`${sub.traceId}/1 approved run-1`);
    await record(server.api, working(sub, 2, parent));
    expect(await shownOf(sub.threadId)).toBe('run-1/0 in_progress null');
  });

  it('shows the same everywhere when a late lower step names the caller first', async () => {
    const threadId = newThreadId();
    const bare = { trace_id: 'sub', agent_id: 'researcher' };
    await record(server.api, checkpoint(threadId, 0, bare), checkpoint(threadId, 2, bare));
    const before = await etagOf(threadId);
    expect(await shownOf(threadId)).toBe('sub/2 in_progress null');
    await record(server.api, checkpoint(threadId, 1, calledBy('run-1', 'sub')));
    expect(await shownOf(threadId)).toBe('sub/2 in_progress run-1');
    expect(await etagOf(threadId)).not.toBe(before);
    await record(server.api, checkpoint(threadId, 0));
    expect(await shownOf(threadId)).toBe('run-1/0 in_progress null');
    await record(server.api, checkpoint(threadId, 3, bare));
    expect(await shownOf(threadId)).toBe('run-1/0 in_progress null');
  });

  it('shows the caller also where so many were called that it is in no memory any more', async () => {
    const threadId = newThreadId();
    await record(server.api, started(threadId), checkpoint(threadId, 0));
    for (let at = 0; at < 20; at++) await record(server.api, checkpoint(threadId, 0, calledBy('run-1', `sub-${at}`)));
    expect(await shownOf(threadId)).toBe('run-1/0 in_progress null');
    await record(server.api, otherCheckpoint(threadId, 0, ' corrected'));
    for (let at = 0; at < 20; at++) await record(server.api, checkpoint(threadId, 1, calledBy('run-1', `sub-${at}`)));
    expect((await latestOf(server.api, threadId)).history).toEqual(conversation(2, ' corrected'));
  });

  it('ends a circle of callers', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0, calledBy('b', 'a')), checkpoint(threadId, 0, calledBy('a', 'b')));
    expect(await shownOf(threadId)).toBe('a/0 in_progress b');
    await record(server.api, checkpoint(threadId, 0, calledBy('itself', 'itself')));
    expect(await shownOf(threadId)).toBe('itself/0 in_progress itself');
  });
});
