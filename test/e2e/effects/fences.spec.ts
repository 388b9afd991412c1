import { newThreadId } from '../../factories/events.js';
import { working } from '../../factories/waiting.js';
import { claim, claimed, effectOf, effectsOf, gist, settle, settled } from '../../support/effects.js';
import { leased, release } from '../../support/leases.js';
import { record } from '../../support/recording.js';
import { useSharedServer } from '../../support/shared-server.js';

const server = useSharedServer();

/** A run called by another one. */
async function withSubRun() {
  const threadId = newThreadId();
  const sub = { agent_id: 'support:x', parent_trace_id: 'run-1' };
  await record(server.api, working({ threadId, traceId: 'run-1' }, 0));
  await record(server.api, working({ threadId, traceId: 'sub' }, 0, sub));
  return { threadId, own: { trace_id: 'sub', agent_id: 'support:x' } };
}

describe('Under a lease', () => {
  it('only its holder claims, whether the run was reported or not', async () => {
    for (const isReported of [true, false]) {
      const threadId = newThreadId();
      if (isReported) await record(server.api, working({ threadId, traceId: 'run-1' }, 0));
      const fence = await leased(server.api, threadId, 'a', { agent_id: 'support' });
      expect(gist(await claim(server.api, threadId))).toBe('409 stale_fence');
      expect(gist(await claim(server.api, threadId, { fence: fence - 1, args: {} }))).toBe('409 stale_fence');
      await claimed(server.api, threadId, { fence });
      expect(gist(await claim(server.api, threadId, { fence, claim_id: 'again' }))).toBe('409 effect_in_flight');
      expect(await effectOf(server.api, threadId)).toMatchObject({ in_doubt: false });
    }
  });

  it('a call is in doubt once another holds it, and whoever made it settles it without a fence', async () => {
    const threadId = newThreadId();
    const first = await leased(server.api, threadId, 'a', { agent_id: 'support' });
    await claimed(server.api, threadId, { fence: first });
    const second = await leased(server.api, threadId, 'b', { agent_id: 'support', fence: first });
    expect(await effectOf(server.api, threadId)).toMatchObject({ state: 'started', in_doubt: true });
    expect(gist(await claim(server.api, threadId, { fence: first }))).toBe('409 stale_fence');
    expect(gist(await claim(server.api, threadId, { fence: second }))).toBe('409 effect_in_doubt');
    expect(await settled(server.api, threadId, { outcome: 'completed', result: 1 })).toMatchObject({ in_doubt: false });
    expect(gist(await claim(server.api, threadId, { fence: second }))).toBe('200 completed');
  });

  it('a call is in doubt once the lease is given back, and claims count again without one', async () => {
    const threadId = newThreadId();
    const fence = await leased(server.api, threadId, 'a', { agent_id: 'support' });
    await claimed(server.api, threadId, { fence });
    await release(server.api, threadId, fence);
    expect(await effectOf(server.api, threadId)).toMatchObject({ in_doubt: true });
    await claimed(server.api, threadId, { key: 'after' });
    expect(await effectOf(server.api, threadId, 'after')).toMatchObject({ in_doubt: false });
    await leased(server.api, threadId, 'b', { agent_id: 'support' });
    expect(await effectOf(server.api, threadId, 'after')).toMatchObject({ in_doubt: true });
  });

  it('the lease of the caller counts for a sub-run', async () => {
    const { threadId, own } = await withSubRun();
    const fence = await leased(server.api, threadId, 'a', { agent_id: 'support' });
    expect(gist(await claim(server.api, threadId, own))).toBe('409 stale_fence');
    await claimed(server.api, threadId, { ...own, fence });
    await leased(server.api, threadId, 'b', { agent_id: 'support', fence });
    expect(await effectOf(server.api, threadId)).toMatchObject({ in_doubt: true });
  });

  it('a call of a sub-run that had none is in doubt once another leases the caller', async () => {
    const { threadId, own } = await withSubRun();
    await claimed(server.api, threadId, own);
    expect(await effectOf(server.api, threadId)).toMatchObject({ in_doubt: false });
    await leased(server.api, threadId, 'a', { agent_id: 'support' });
    expect(await effectOf(server.api, threadId)).toMatchObject({ in_doubt: true });
    expect(await effectsOf(server.api, threadId, { state: 'in_doubt' })).toHaveLength(1);
    expect(gist(await claim(server.api, threadId, own))).toBe('409 stale_fence');
  });

  it('a call of a sub-run under the fence of its caller is in doubt once another leases the sub-run', async () => {
    const { threadId, own } = await withSubRun();
    const fence = await leased(server.api, threadId, 'a', { agent_id: 'support' });
    await claimed(server.api, threadId, { ...own, fence });
    expect(await effectOf(server.api, threadId)).toMatchObject({ in_doubt: false });
    const second = await leased(server.api, threadId, 'b', own);
    expect(await effectOf(server.api, threadId)).toMatchObject({ in_doubt: true });
    expect(gist(await claim(server.api, threadId, { ...own, fence: second }))).toBe('409 effect_in_doubt');
  });

  it('nobody puts a call in doubt by claiming its trace for another agent', async () => {
    for (const isLeased of [false, true]) {
      const threadId = newThreadId();
      const tokens = ['support', 'billing'].map((agent) => ({ scope: 'runner', agent_ids: [agent] }));
      const [support, billing] = await Promise.all(
        tokens.map(async (order) => {
          const made = await server.api.post('/v1/tokens', order);
          return server.api.as(made.json<{ token: string }>().token);
        }),
      );
      await record(server.api, working({ threadId, traceId: 'run-1' }, 0));
      const fence = isLeased ? await leased(support!, threadId, 'a') : undefined;
      await claimed(support!, threadId, { fence });
      await leased(billing!, threadId, 'b');
      expect(await effectOf(support!, threadId)).toMatchObject({ in_doubt: false });
      expect(gist(await claim(support!, threadId, { fence, claim_id: 'again', key: 'other' }))).toBe('201');
    }
  });

  it('a token of the run claims with its fence, for its run alone', async () => {
    const threadId = newThreadId();
    const fence = await leased(server.api, threadId, 'a', { agent_id: 'support' });
    const run = { thread_id: threadId, trace_id: 'run-1', fence };
    const made = await server.api.post('/v1/tokens', {
      scope: 'runner',
      agent_ids: ['support'],
      run,
      expires_in_seconds: 60,
    });
    const program = server.api.as(made.json<{ token: string }>().token);
    await claimed(program, threadId, { fence: undefined });
    expect(await effectOf(program, threadId)).toMatchObject({ in_doubt: false });
    expect(gist(await claim(program, threadId, { key: 'x', trace_id: 'run-2' }))).toBe('403 run_not_allowed');
    const other = newThreadId();
    await claimed(server.api, other);
    expect(gist(await settle(program, other, { outcome: 'completed' }))).toBe('403 run_not_allowed');
  });
});
