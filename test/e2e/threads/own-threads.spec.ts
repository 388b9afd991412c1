import { checkpoint, completed, newThreadId, started, type RunnerEvent } from '../../factories/events.js';
import { newRun, waiting } from '../../factories/waiting.js';
import type { ApiClient } from '../../support/api-client.js';
import { claimed } from '../../support/effects.js';
import { leased, leasePath, release } from '../../support/leases.js';
import { problemOf } from '../../support/problem.js';
import { detailOf, latestPath, ok, record, threadPath, type Page } from '../../support/recording.js';
import { putState, putWrites, writesOf } from '../../support/states.js';
import { useServer } from '../../support/test-server.js';

const server = useServer();

type Listed = Record<string, unknown> & { thread_id: string };
type ListedRun = Record<string, unknown> & { trace_id: string };

/** A new token of scope runner. */
async function runnerOf(agent_ids?: string[], more: object = {}): Promise<ApiClient> {
  const made = await server.api.post('/v1/tokens', { scope: 'runner', ...(agent_ids && { agent_ids }), ...more });
  if (made.status !== 201) throw new Error(`No token: ${made.status} ${made.text}`);
  return server.api.as(made.json<{ token: string }>().token);
}

const pathOf = (threadId: string, rest = '') => `/v1/runners/threads/${encodeURIComponent(threadId)}${rest}`;

/** All pages. */
async function walk<T>(api: ApiClient, path: string, limit: number): Promise<T[]> {
  const items: T[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const more = `${path.includes('?') ? '&' : '?'}limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`;
    const page: Page<T> = ok(await api.get(path + more)).json();
    expect(page.items.length).toBeLessThanOrEqual(limit);
    items.push(...page.items);
    cursor = page.next_cursor;
  }
  return items;
}

async function idsOf(api: ApiClient, prefix: string, limit = 200): Promise<string[]> {
  const listed = await walk<Listed>(api, `/v1/runners/threads?prefix=${encodeURIComponent(prefix)}`, limit);
  return listed.map(({ thread_id }) => thread_id);
}

const byCodePoints = (ids: string[]) => ids.sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));

describe("An agent's threads", () => {
  it('are those that begin with the prefix, whatever its characters, in the order of their code points', async () => {
    const root = newThreadId('own');
    const tails = [
      '',
      '%',
      '_',
      '%x',
      '_x',
      'A',
      'a',
      'ab',
      'a\uffff',
      'a\u{10ffff}',
      'a\u{1f600}',
      'b',
      'ä',
      'Z',
      ' ',
    ];
    const ids = tails.map((tail) => `${root}${tail}`);
    await record(server.api, ...ids.map((id) => checkpoint(id, 0)));
    const api = await runnerOf();
    expect(await idsOf(api, root)).toEqual(byCodePoints([...ids]));
    for (const tail of [...tails, '\u{10ffff}', '*', 'a\ufffe', "'", '\\']) {
      const prefix = root + tail;
      expect(await idsOf(api, prefix)).toEqual(byCodePoints(ids.filter((id) => id.startsWith(prefix))));
    }
  });

  it('come in pages that fit together, while others begin', async () => {
    const root = newThreadId('paged');
    const ids = Array.from({ length: 23 }, (_, at) => `${root}-${String(at).padStart(2, '0')}`);
    await record(server.api, ...ids.map((id) => checkpoint(id, 0)));
    const api = await runnerOf();
    for (const limit of [1, 7, 22, 23, 200]) expect(await idsOf(api, root, limit)).toEqual(ids);
    const first: Page<Listed> = ok(await api.get(`/v1/runners/threads?prefix=${root}&limit=10`)).json();
    await record(server.api, checkpoint(`${root}-00a`, 0), checkpoint(`${root}-15a`, 0));
    await server.api.delete(threadPath(ids[9]!));
    const rest = await api.get(`/v1/runners/threads?prefix=${root}&cursor=${first.next_cursor}`);
    const seen = ok(rest)
      .json<Page<Listed>>()
      .items.map(({ thread_id }) => thread_id);
    expect(seen).toEqual([...ids.slice(10, 16), `${root}-15a`, ...ids.slice(16)]);
  });

  it('that do not begin with the prefix are in no page, whatever the cursor says', async () => {
    const root = newThreadId('cursor');
    await record(server.api, checkpoint(`${root}-a`, 0), checkpoint(`${root}-b`, 0));
    const cursor = Buffer.from(JSON.stringify(['own threads', root])).toString('base64url');
    const page = await (await runnerOf()).get(`/v1/runners/threads?prefix=${root}-b&cursor=${cursor}`);
    expect(
      ok(page)
        .json<Page<Listed>>()
        .items.map(({ thread_id }) => thread_id),
    ).toEqual([`${root}-b`]);
  });

  it('show what tells them apart', async () => {
    const threadId = newThreadId();
    await record(server.api, started(threadId), checkpoint(threadId, 0), completed(threadId));
    const { items } = ok(await (await runnerOf()).get(`/v1/runners/threads?prefix=${threadId}`)).json<Page<Listed>>();
    const { started_at, updated_at } = await detailOf(server.api, threadId);
    expect(items).toEqual([
      { thread_id: threadId, status: 'completed', agents: ['support'], runs: 1, started_at, updated_at },
    ]);
  });

  it('are only those in which nobody but its agents took part, if its token is bound', async () => {
    const root = newThreadId('bound');
    const id = (name: string) => `${root}-${name}`;
    const guest = { trace_id: 'guest', agent_id: 'research' };
    const events: RunnerEvent[] = [
      checkpoint(id('mine'), 0),
      checkpoint(id('with-sub'), 0),
      checkpoint(id('with-sub'), 0, { trace_id: 'sub', agent_id: 'support:lookup', parent_trace_id: 'run-1' }),
      checkpoint(id('mixed'), 0),
      checkpoint(id('mixed'), 0, { ...guest, parent_trace_id: 'run-1' }),
      checkpoint(id('guested'), 0),
      checkpoint(id('guested'), 0, { ...guest, agent_id: 'supporter' }),
      checkpoint(id('theirs'), 0, guest),
      checkpoint(id('effect'), 0),
      checkpoint(id('leased'), 0),
      checkpoint(id('state'), 0),
      checkpoint(id('write'), 0),
    ];
    await record(server.api, ...events);
    await claimed(server.api, id('effect'), { trace_id: 'x', agent_id: 'research', key: 'k', tool: 'refund' });
    const fence = await leased(server.api, id('leased'), 'them', { trace_id: 'x', agent_id: 'research' });
    await release(server.api, id('leased'), fence, 'x');
    const theirs = { agent_id: 'research' };
    expect((await putState(server.api, id('state'), 'c1', { values: {} }, theirs)).status).toBe(201);
    expect((await putWrites(server.api, id('write'), 'c1', writesOf('task', [0, 'a', 1]), theirs)).status).toBe(204);
    const api = await runnerOf(['support', 'nobody']);
    expect(await idsOf(api, root)).toEqual([id('mine'), id('with-sub')]);
    expect(await idsOf(await runnerOf(['nobody']), root)).toEqual([]);
    for (const name of ['mixed', 'guested', 'theirs', 'effect', 'leased', 'state', 'write', 'unheard-of']) {
      expect(problemOf(await api.delete(pathOf(id(name))), 404).code).toBe('thread_not_found');
    }
    expect(await idsOf(await runnerOf(), root)).toHaveLength(9);
    for (const name of ['mine', 'with-sub']) expect((await api.delete(pathOf(id(name)))).status).toBe(204);
    expect(await idsOf(api, root)).toEqual([]);
  });
});

describe('The runs of a thread', () => {
  it("are listed as the thread's readers see them, in pages", async () => {
    const run = newRun();
    const ids = (at: number) => ({ trace_id: `${run.traceId}-${at}` });
    for (let at = 0; at < 5; at++) {
      await record(server.api, started(run.threadId, ids(at)), checkpoint(run.threadId, 0, ids(at)));
      await record(server.api, checkpoint(run.threadId, 1, ids(at)), completed(run.threadId, ids(at)));
    }
    await record(server.api, waiting({ ...run, traceId: `${run.traceId}-3` }, 2));
    await record(server.api, {
      type: 'thread_error',
      data: { thread_id: run.threadId, ...ids(2), error: { big: 1e21 } },
    });
    const { run_list } = await detailOf(server.api, run.threadId);
    const api = await runnerOf();
    // Who retried and cancelled them is hidden from the agent.
    const runs = (run_list as Record<string, unknown>[]).map(({ events, ...shown }) => {
      expect(events).toEqual([]);
      return shown;
    });
    for (const limit of [1, 2, 5, 200]) expect(await walk(api, pathOf(run.threadId, '/runs'), limit)).toEqual(runs);
    problemOf(await api.get(pathOf(newThreadId(), '/runs')), 404);
  });

  it("are those of its agents and the runs below them, if the caller's token is bound", async () => {
    const threadId = newThreadId();
    const run = (trace_id: string, agent_id: string, parent_trace_id: string | null = null) =>
      checkpoint(threadId, 0, { trace_id, agent_id, parent_trace_id });
    await record(server.api, run('top', 'research'), run('mine', 'support', 'top'), run('below', 'writer', 'mine'));
    await record(server.api, run('other', 'writer', 'top'), run('mine-too', 'support:lookup'));
    const tracesOf = async (api: ApiClient) =>
      (await walk<ListedRun>(api, pathOf(threadId, '/runs'), 2)).map(({ trace_id }) => trace_id);
    expect(await tracesOf(await runnerOf(['support']))).toEqual(['mine', 'below', 'mine-too']);
    expect(await tracesOf(await runnerOf(['research']))).toEqual(['top', 'mine', 'below', 'other']);
    expect(await tracesOf(await runnerOf())).toEqual(['top', 'mine', 'below', 'other', 'mine-too']);
    problemOf(await (await runnerOf(['nobody'])).get(pathOf(threadId, '/runs')), 404);
  });

  it('of a parent that a bound token guessed stay hidden from it', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0, { trace_id: 'secret', agent_id: 'research' }));
    const api = await runnerOf(['support']);
    await record(api, checkpoint(threadId, 0, { trace_id: 'guess', agent_id: 'support', parent_trace_id: 'secret' }));
    const runs = await walk<ListedRun>(api, pathOf(threadId, '/runs'), 50);
    expect(runs.map(({ trace_id }) => trace_id)).toEqual(['guess']);
    const theirs = await walk<ListedRun>(await runnerOf(['research']), pathOf(threadId, '/runs'), 50);
    expect(theirs.map(({ trace_id }) => trace_id)).toEqual(['secret']);
  });
});

describe('A token of an agent', () => {
  it('deletes a thread with all that is in it, once', async () => {
    const run = newRun();
    await record(server.api, waiting(run, 0));
    const api = await runnerOf(['support']);
    expect((await api.delete(pathOf(run.threadId))).status).toBe(204);
    problemOf(await api.delete(pathOf(run.threadId)), 404);
    problemOf(await server.api.get(latestPath(run.threadId)), 404);
    problemOf(await server.api.get(`/approvals/${run.traceId}/0`), 404);
  });

  it('does not delete a thread while a process may drive a run of it', async () => {
    const threadId = newThreadId();
    const api = await runnerOf(['support']);
    const fence = await leased(api, threadId, 'one');
    await record(api, { ...started(threadId), fence } as RunnerEvent);
    expect(problemOf(await api.delete(pathOf(threadId)), 409).code).toBe('lease_held');
    ok(await api.get(leasePath(threadId)));
    await release(api, threadId, fence);
    expect((await api.delete(pathOf(threadId))).status).toBe(204);
  });

  it('deletes nothing if it is for a run, but looks', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0));
    const api = await runnerOf(['support'], { run: { thread_id: threadId, trace_id: 'run-1', fence: 7 } });
    expect(problemOf(await api.delete(pathOf(threadId)), 403).code).toBe('run_not_allowed');
    expect(await idsOf(api, threadId)).toEqual([threadId]);
    expect(await walk(api, pathOf(threadId, '/runs'), 5)).toHaveLength(1);
  });

  it('never deletes what another agent reports at the same moment', async () => {
    const api = await runnerOf(['support']);
    for (let round = 0; round < 15; round++) {
      const threadId = newThreadId();
      await record(server.api, checkpoint(threadId, 0));
      const [report, deletion] = await Promise.all([
        server.api.post('/v1/runners/events', {
          events: [checkpoint(threadId, 0, { trace_id: 'x', agent_id: 'research' })],
        }),
        api.delete(pathOf(threadId)),
      ]);
      ok(report);
      expect([204, 404]).toContain(deletion.status);
      const latest = await server.api.get(latestPath(threadId, { trace_id: 'x' }));
      expect(ok(latest).json()).toMatchObject({ agent_id: 'research' });
    }
  });
});
