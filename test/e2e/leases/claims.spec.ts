import { checkpoint, completed, failed, newThreadId, started } from '../../factories/events.js';
import type { ApiClient } from '../../support/api-client.js';
import { claim, fenced, leased, leasePath, outcomesOf, release, type Lease } from '../../support/leases.js';
import { problemOf } from '../../support/problem.js';
import {
  detailOf,
  expectUnchangedBy,
  latestPath,
  listOf,
  ok,
  record,
  snapshotOf,
  threadPath,
} from '../../support/recording.js';
import { useSharedServer } from '../../support/shared-server.js';
import { waitFor } from '../../support/wait.js';

const server = useSharedServer();

async function tokenFor(...agentIds: string[]): Promise<ApiClient> {
  const order = { scope: 'runner', ...(agentIds.length > 0 && { agent_ids: agentIds }) };
  return server.api.as((await server.api.post('/v1/tokens', order)).json<{ token: string }>().token);
}

describe('The lease of a run', () => {
  it('goes to one process, which renews it, and to nobody else until it is released', async () => {
    const threadId = newThreadId();
    const first = await claim(server.api, threadId, 'one', { ttl_seconds: 600 });
    expect(first.status).toBe(201);
    const { fence, expires_at: expiresAt } = first.json<Lease>();
    expect(Object.keys(first.json()).sort()).toEqual(['expires_at', 'fence', 'holder']);
    expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(500_000);
    const refused = await claim(server.api, threadId, 'two');
    expect(problemOf(refused, 409)).toMatchObject({ code: 'lease_held', holder: 'one', expires_at: expiresAt });
    const renewed = await claim(server.api, threadId, 'one', { ttl_seconds: 900 });
    expect([renewed.status, renewed.json<Lease>().fence]).toEqual([200, fence]);
    expect(Date.parse(renewed.json<Lease>().expires_at)).toBeGreaterThan(Date.parse(expiresAt));
    await release(server.api, threadId, fence);
    expect(await leased(server.api, threadId, 'two')).toBeGreaterThan(fence);
  });

  it('is for everybody to see, but for its fence', async () => {
    const threadId = newThreadId();
    expect(problemOf(await server.api.get(leasePath(threadId)), 404).code).toBe('lease_not_found');
    const { fence, expires_at } = (await claim(server.api, threadId, 'one')).json<Lease>();
    const shown = ok(await server.api.get(leasePath(threadId)));
    expect(shown.json()).toEqual({ holder: 'one', expires_at, live: true });
    expect(shown.text).not.toContain(String(fence));
    await release(server.api, threadId, fence);
    problemOf(await server.api.get(leasePath(threadId)), 404);
  });

  it('is handed over by its fence at once, also to the same name, and then has another', async () => {
    const threadId = newThreadId();
    const first = await leased(server.api, threadId, 'one');
    const second = await leased(server.api, threadId, 'two', { fence: first });
    const third = await leased(server.api, threadId, 'two', { fence: second });
    expect([first < second, second < third]).toEqual([true, true]);
    const again = await claim(server.api, threadId, 'two', { fence: second });
    expect([again.status, again.json<Lease>().fence]).toEqual([200, third]);
    expect(problemOf(await claim(server.api, threadId, 'one', { fence: first }), 409).code).toBe('lease_held');
    await release(server.api, threadId, third);
    expect(problemOf(await claim(server.api, threadId, 'one', { fence: first }), 409).code).toBe('stale_fence');
  });

  it('is taken by force, by an admin only', async () => {
    const threadId = newThreadId();
    const runner = await tokenFor();
    const fence = await leased(runner, threadId, 'one');
    const asked = await claim(runner, threadId, 'two', { force: true });
    expect(problemOf(asked, 403).code).toBe('wrong_scope');
    expect(await leased(server.api, threadId, 'two', { force: true })).toBeGreaterThan(fence);
    expect((await claim(runner, threadId, 'two', { force: false })).status).toBe(200);
  });

  it('runs out, fences all the same, and is still its holder’s until another comes', async () => {
    const [renewedId, takenId] = [newThreadId(), newThreadId()];
    const mine = await leased(server.api, renewedId, 'one', { ttl_seconds: 5 });
    const first = await leased(server.api, takenId, 'one', { ttl_seconds: 5 });
    await record(server.api, fenced(checkpoint(takenId, 0), first));
    await waitFor('both to run out', async () => {
      return ok(await server.api.get(leasePath(takenId))).json<{ live: boolean }>().live === false;
    });
    const step = checkpoint(takenId, 1);
    expect(await outcomesOf(server.api, step, fenced(step, first))).toEqual(['stale_fence', 'saved']);
    const renewed = await claim(server.api, renewedId, 'one');
    expect([renewed.status, renewed.json<Lease>().fence]).toEqual([200, mine]);
    problemOf(await claim(server.api, renewedId, 'two'), 409);
    const second = await leased(server.api, takenId, 'two');
    expect(problemOf(await claim(server.api, takenId, 'one'), 409)).toMatchObject({ holder: 'two' });
    // It returns after a long pause and tries everything it can.
    await record(server.api, fenced(completed(takenId), second));
    const before = await snapshotOf(server.api, takenId);
    const late = [step, checkpoint(takenId, 2), failed(takenId), started(takenId), completed(takenId)];
    const outcomes = await outcomesOf(server.api, ...late.map((event) => fenced(event, first)));
    expect(new Set(outcomes)).toEqual(new Set(['stale_fence']));
    expect(problemOf(await server.api.delete(leasePath(takenId, `?fence=${first}`)), 409).code).toBe('stale_fence');
    expect(problemOf(await claim(server.api, takenId, 'one', { fence: first }), 409).code).toBe('lease_held');
    expect(await snapshotOf(server.api, takenId)).toEqual(before);
    expect(ok(await server.api.get(leasePath(takenId))).json()).toMatchObject({ holder: 'two', live: true });
  });

  it('is released by its own fence only, and twice does not hurt', async () => {
    const threadId = newThreadId();
    const path = (fence: unknown) => leasePath(threadId, `?fence=${String(fence)}`);
    expect(problemOf(await server.api.delete(path(7)), 404).code).toBe('lease_not_found');
    const first = await leased(server.api, threadId, 'one');
    const second = await leased(server.api, threadId, 'two', { force: true });
    expect(problemOf(await server.api.delete(path(first)), 409).code).toBe('stale_fence');
    for (let time = 0; time < 2; time++) expect((await server.api.delete(path(second))).status).toBe(204);
    for (const wrong of ['', 'x', '0', '-1', '1.5', '99999999999999999999']) {
      const { errors } = problemOf(await server.api.delete(path(wrong)), 400);
      expect(errors).toMatchObject([{ path: 'fence' }]);
    }
    problemOf(await server.api.delete(leasePath(threadId)), 400);
  });

  it('never gives a fence twice, not even after the thread was deleted', async () => {
    const threadId = newThreadId();
    const fences: number[] = [];
    for (let round = 0; round < 3; round++) {
      // Within one transaction, fences run ahead of the time.
      const takers = Array.from({ length: 40 }, (_, n) => leased(server.api, threadId, `p${n}`, { force: true }));
      fences.push(...(await Promise.all(takers)));
      expect((await server.api.delete(threadPath(threadId))).status).toBe(204);
    }
    expect(new Set(fences).size).toBe(fences.length);
    const later = await leased(server.api, threadId, 'one');
    expect(later).toBeGreaterThan(Math.max(...fences));
  });

  it('makes a thread known and no more, and changes nothing of one that is known', async () => {
    const [unknown, known] = [newThreadId(), newThreadId()];
    await leased(server.api, unknown, 'one');
    problemOf(await server.api.get(latestPath(unknown)), 404);
    expect((await listOf(server.api, { q: unknown })).items).toEqual([]);
    await record(server.api, checkpoint(known, 0));
    const before = await detailOf(server.api, known);
    const fence = await leased(server.api, known, 'one', { trace_id: 'run-2' });
    await claim(server.api, known, 'one', { trace_id: 'run-2' });
    await release(server.api, known, fence, 'run-2');
    expect(await detailOf(server.api, known)).toEqual(before);
    await expectUnchangedBy(server.api, known, checkpoint(known, 0));
  });

  it.each([
    [{}, 'holder'],
    [{ holder: '' }, 'holder'],
    [{ holder: 'a\u0000' }, 'holder'],
    [{ holder: 7 }, 'holder'],
    [{ holder: 'one', ttl_seconds: 4 }, 'ttl_seconds'],
    [{ holder: 'one', ttl_seconds: 3601 }, 'ttl_seconds'],
    [{ holder: 'one', ttl_seconds: 5.5 }, 'ttl_seconds'],
    [{ holder: 'one', fence: 0 }, 'fence'],
    [{ holder: 'one', fence: '7' }, 'fence'],
    [{ holder: 'one', force: 'yes' }, 'force'],
    [{ holder: 'one', agent_id: '..' }, 'agent_id'],
    [{ holder: 'one', traceid: 'x' }, 'traceid'],
  ])('is not claimed by %j', async (body, path) => {
    const answer = await server.api.post(leasePath(newThreadId()), body);
    expect(problemOf(answer, 400).errors).toMatchObject([{ path }]);
  });

  it('is not claimed for names that no event can have', async () => {
    for (const [threadId, traceId] of [
      ['x'.repeat(513), 'run-1'],
      ['thread', 'a\u0000b'],
      ['thread\u0001', 'run-1'],
    ] as const) {
      const answer = await server.api.post(leasePath(threadId, '', traceId), { holder: 'one' });
      expect(problemOf(answer, 400).errors).toMatchObject([{ path: traceId === 'run-1' ? 'thread_id' : 'trace_id' }]);
      problemOf(await server.api.get(leasePath(threadId, '', traceId)), 404);
    }
  });
});

describe('A token that is bound to an agent', () => {
  it('leases runs of its agents alone', async () => {
    const threadId = newThreadId();
    const [support, both] = [await tokenFor('support'), await tokenFor('support', 'research')];
    expect(problemOf(await claim(support, threadId, 'one', { agent_id: 'research' }), 403).code).toBe(
      'agent_not_allowed',
    );
    expect(problemOf(await claim(both, threadId, 'one'), 403).code).toBe('agent_not_allowed');
    const fence = await leased(support, threadId, 'one');
    expect((await claim(both, threadId, 'one', { agent_id: 'support' })).json<Lease>().fence).toBe(fence);
    expect(await outcomesOf(support, fenced(checkpoint(threadId, 0), fence), checkpoint(threadId, 1))).toEqual([
      'saved',
      'stale_fence',
    ]);
  });

  it('holds up nobody else by taking a trace, sees nothing of his lease and releases nothing', async () => {
    const threadId = newThreadId();
    const [support, research] = [await tokenFor('support'), await tokenFor('research')];
    await leased(research, threadId, 'intruder');
    await record(support, checkpoint(threadId, 0));
    await record(server.api, checkpoint(threadId, 0, { trace_id: 'run-2', agent_id: 'support' }));
    const fence = await leased(support, threadId, 'one');
    expect(ok(await research.get(leasePath(threadId))).json()).toMatchObject({ holder: 'intruder' });
    expect(problemOf(await research.delete(leasePath(threadId, `?fence=${fence}`)), 409).code).toBe('stale_fence');
    expect(ok(await support.get(leasePath(threadId))).json()).toMatchObject({ holder: 'one', live: true });
    problemOf(await research.get(leasePath(threadId, '', 'run-2')), 404);
  });

  it('cannot keep an admin out, who sees its lease, takes it and hands it on without knowing the agent', async () => {
    const api = await tokenFor('support');
    for (const isBegun of [false, true]) {
      const threadId = newThreadId();
      const fence = await leased(api, threadId, 'one');
      if (isBegun) await record(api, fenced(started(threadId), fence));
      expect(ok(await server.api.get(leasePath(threadId))).json()).toMatchObject({ holder: 'one' });
      const taken = await leased(server.api, threadId, 'admin', { force: true });
      expect(await outcomesOf(api, fenced(checkpoint(threadId, 0), fence))).toEqual(['stale_fence']);
      const last = await leased(server.api, threadId, 'two', { fence: taken });
      await record(api, fenced(checkpoint(threadId, 0), last));
      expect(ok(await api.get(leasePath(threadId))).json()).toMatchObject({ holder: 'two' });
    }
  });

  it('does not lease runs in threads of the server that belong to others', async () => {
    const api = await tokenFor('support');
    expect(problemOf(await claim(api, 'channel:not-mine', 'one'), 403).code).toBe('agent_not_allowed');
  });

  it('for a single run has its fence in all that names none, and leases no other run', async () => {
    const threadId = newThreadId();
    const fence = await leased(server.api, threadId, 'supervisor');
    const order = { scope: 'runner', run: { thread_id: threadId, trace_id: 'run-1', fence } };
    const api = server.api.as((await server.api.post('/v1/tokens', order)).json<{ token: string }>().token);
    const sub = { trace_id: 'sub', parent_trace_id: 'run-1' };
    await record(api, started(threadId), started(threadId, sub), checkpoint(threadId, 0, sub), checkpoint(threadId, 0));
    expect(await outcomesOf(api, fenced(checkpoint(threadId, 1), fence - 1))).toEqual(['stale_fence']);
    expect(problemOf(await claim(api, threadId, 'one', { trace_id: 'other' }), 403).code).toBe('run_not_allowed');
    // Its program may lease the run for itself: that is the lease under which the token was created.
    expect((await claim(api, threadId, 'one')).json()).toMatchObject({ fence, holder: 'supervisor' });
    const next = await leased(server.api, threadId, 'supervisor', { fence });
    const nameless = { type: 'thread_completed', data: { thread_id: threadId } };
    const late = [checkpoint(threadId, 1), checkpoint(threadId, 1, sub), nameless];
    expect(await outcomesOf(api, ...late)).toEqual(['stale_fence', 'stale_fence', 'stale_fence']);
    await record(server.api, fenced(completed(threadId), next));
  });

  it('needs the fence of a lease that was taken for its run before, whoever took it', async () => {
    const api = await tokenFor('support');
    for (const words of [{ agent_id: 'support' }, {}]) {
      const threadId = newThreadId();
      const fence = await leased(server.api, threadId, 'supervisor', words);
      const [event, next] = [checkpoint(threadId, 0), checkpoint(threadId, 1)];
      expect(await outcomesOf(api, event, fenced(event, fence), next, fenced(next, fence))).toEqual([
        'stale_fence',
        'saved',
        'stale_fence',
        'saved',
      ]);
      expect(await outcomesOf(server.api, checkpoint(threadId, 2))).toEqual(['stale_fence']);
    }
  });
});
