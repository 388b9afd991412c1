import { newThreadId } from '../../factories/events.js';
import { newRun, REFUND, toolCall, waiting, working } from '../../factories/waiting.js';
import type { ApiClient } from '../../support/api-client.js';
import { decided } from '../../support/approvals.js';
import {
  claim,
  claimed,
  effectOf,
  effectsOf,
  effectsPath,
  gist,
  settle,
  settled,
  type EffectRecord,
} from '../../support/effects.js';
import { problemOf } from '../../support/problem.js';
import { detailOf, latestOf, latestPath, listOf, ok, record, type Page } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';

const server = useServer();

async function tokenOf(scope: string, agent_ids?: string[]): Promise<ApiClient> {
  const made = await server.api.post('/v1/tokens', { scope, agent_ids });
  return server.api.as(made.json<{ token: string }>().token);
}

describe('An effect', () => {
  it('is claimed, and settled with its exact arguments and result', async () => {
    const threadId = newThreadId();
    const body = `{"trace_id":"t","agent_id":"support","key":"pay","tool":"pay","args":{"b":1.0,"a":12345678901234567890},"call_id":"c","holder":"w","claim_id":"x"}`;
    const answer = await server.api.post(effectsPath(threadId), body);
    expect(answer.status).toBe(201);
    expect(answer.headers.location).toBe(effectsPath(threadId, 'pay'));
    expect(answer.json()).toEqual({
      ...{ thread_id: threadId, key: 'pay', trace_id: 't', agent_id: 'support', tool: 'pay', kind: 'write' },
      ...{ call_id: 'c', state: 'started', in_doubt: false, attempt: 1, holder: 'w', settled_at: null },
      ...{ started_at: expect.stringMatching(/^\d{4}-.*Z$/), result: null, result_omitted: false, error: null },
      ...{ decided_by: null, reason: null, args: expect.anything() },
    });
    expect(answer.text).toContain('"args":{"b":1.0,"a":12345678901234567890}');
    const done = ok(
      await settle(server.api, threadId, '{"outcome":"completed","result":{"z":1e400,"a":"\\u00e4"}}', 'pay'),
    );
    expect(done.text).toContain('"result":{"z":1e400,"a":"\\u00e4"}');
    expect(done.text).toContain('"state":"completed"');
    const got = ok(await server.api.get(effectsPath(threadId, 'pay')));
    expect(got.text).toBe(done.text);
    const again = await server.api.post(effectsPath(threadId), body.replace('"x"', '"y"'));
    expect([again.status, again.text]).toEqual([200, done.text]);
  });

  it('is the same for the same value of the arguments, and for no other', async () => {
    const threadId = newThreadId();
    const post = (args: string) =>
      server.api.post(
        effectsPath(threadId),
        `{"trace_id":"t","key":"k","tool":"t","kind":"idempotent","args":${args}}`,
      );
    expect(gist(await post('{"a":1.50,"b":"\\u0061"}'))).toBe('201');
    expect(gist(await post('{"b":"a","a":15e-1}'))).toBe('201');
    expect(gist(await post('{"b":"a","a":1.5000000000000000001}'))).toBe('422 effect_mismatch');
    const twice = problemOf(await post('{"a":1,"a":2}'), 400);
    expect(twice.errors).toEqual([{ path: 'args.a', detail: 'is given twice' }]);
  });

  it('that differs from its key names what differs', async () => {
    const threadId = newThreadId();
    await claimed(server.api, threadId);
    const answer = await claim(server.api, threadId, { tool: 'pay', kind: 'idempotent', args: {} });
    expect(problemOf(answer, 422)).toMatchObject({
      code: 'effect_mismatch',
      differs: ['tool', 'kind', 'args'],
      effect: { key: 'refund:4711', tool: 'refund', state: 'started' },
    });
  });

  it('gives the same claim the same answer, and other claims a doubt', async () => {
    const threadId = newThreadId();
    const first = await claimed(server.api, threadId, { claim_id: 'one' });
    expect(await claimed(server.api, threadId, { claim_id: 'one' })).toEqual(first);
    expect(gist(await claim(server.api, threadId, { claim_id: 'two' }))).toBe('409 effect_in_doubt');
    expect(await effectOf(server.api, threadId)).toEqual({ ...first, in_doubt: true });
    expect(await effectsOf(server.api, threadId, { state: 'in_doubt' })).toHaveLength(1);
    expect(await settled(server.api, threadId, { outcome: 'not_done' })).toMatchObject({ in_doubt: false });
    expect(await claimed(server.api, threadId, { claim_id: 'two' })).toMatchObject({ attempt: 2, state: 'started' });
    expect(gist(await settle(server.api, threadId, { outcome: 'completed' }))).toBe('409 stale_attempt');
    expect(await settled(server.api, threadId, { outcome: 'completed', attempt: 2 })).toMatchObject({ attempt: 2 });
  });

  it('that is idempotent is handed out again', async () => {
    const threadId = newThreadId();
    await claimed(server.api, threadId, { kind: 'idempotent' });
    await settled(server.api, threadId, { outcome: 'unknown' });
    expect(await claimed(server.api, threadId, { kind: 'idempotent' })).toMatchObject({ attempt: 2, in_doubt: false });
  });

  it('that a person settled is in the list of these, the last decision first', async () => {
    const agent_id = 'decided-agent';
    const threads = [newThreadId(), newThreadId(), newThreadId(), newThreadId()];
    for (const threadId of threads) await claimed(server.api, threadId, { agent_id, claim_id: 'x' });
    const [first, second, byAgent, open] = threads as [string, string, string, string];
    const approver = await tokenOf('approver');
    await settled(server.api, byAgent, { outcome: 'completed', claim_id: 'x' });
    await settled(approver, open, { outcome: 'unknown', decided_by: 'ada' });
    for (const threadId of [second, first])
      await settled(approver, threadId, { outcome: 'not_done', decided_by: 'ada' });
    const pageOf = async (query: string) =>
      ok(await approver.get(`/v1/effects?state=decided&agent_id=${agent_id}${query}`)).json<Page<EffectRecord>>();
    const idsOf = ({ items }: Page<EffectRecord>) => items.map(({ thread_id }) => thread_id);
    expect(idsOf(await pageOf(''))).toEqual([first, second]);
    const page = await pageOf('&limit=1');
    expect(idsOf(page)).toEqual([first]);
    const next = await pageOf(`&limit=1&cursor=${page.next_cursor}`);
    expect([idsOf(next), next.next_cursor]).toEqual([[second], null]);
    problemOf(await approver.get(`/v1/effects?state=completed&cursor=${page.next_cursor}`), 400);
    // Once claimed again, it is open again.
    await claimed(server.api, second, { agent_id, claim_id: 'y' });
    expect(idsOf(await pageOf(''))).toEqual([first]);
    const ofNobody = ok(await approver.get('/v1/effects?state=decided&agent_id=nobody')).json<Page<EffectRecord>>();
    expect(ofNobody.items).toEqual([]);
  });

  it('whose holder does not know is in doubt for everybody who may settle it', async () => {
    const threadId = newThreadId();
    await claimed(server.api, threadId);
    const doubted = await settled(server.api, threadId, { outcome: 'unknown', error: 'timeout', reason: 'no answer' });
    expect(doubted).toMatchObject({ state: 'started', in_doubt: true, error: 'timeout', reason: 'no answer' });
    const approver = await tokenOf('approver');
    const all = ok(await approver.get('/v1/effects?limit=200')).json<{ items: EffectRecord[] }>().items;
    expect(all.find((one) => one.thread_id === threadId)).toEqual(doubted);
    const found = await settled(approver, threadId, {
      outcome: 'not_done',
      decided_by: 'ada',
      reason: 'asked the bank',
    });
    expect(found).toMatchObject({ state: 'not_done', decided_by: 'ada', error: null, in_doubt: false });
    const bank = { outcome: 'completed', result: { transfer: 1 } };
    expect(await settled(server.api, threadId, bank)).toMatchObject({ state: 'completed', decided_by: null });
    expect(gist(await settle(approver, threadId, { outcome: 'not_done' }))).toBe('409 effect_settled');
    expect(await settled(server.api, threadId, bank)).toMatchObject({ state: 'completed' });
    expect(gist(await settle(server.api, threadId, { ...bank, result: 2 }))).toBe('409 effect_settled');
  });

  it('does not take the word of a runner for a person', async () => {
    const threadId = newThreadId();
    const runner = await tokenOf('runner');
    await claimed(runner, threadId);
    const done = await settled(runner, threadId, { outcome: 'failed', decided_by: 'ada' });
    expect(done).toMatchObject({ state: 'failed', decided_by: null });
    expect(gist(await settle(runner, threadId, { outcome: 'completed' }))).toBe('409 effect_settled');
  });

  it('is in doubt after its time', async () => {
    const threadId = newThreadId();
    await claimed(server.api, threadId, { doubt_after_seconds: 1 });
    const { headers } = ok(await server.api.get(effectsPath(threadId, 'refund:4711')));
    const options = { headers: { 'if-none-match': headers.etag! } };
    const changed = ok(await server.api.get(effectsPath(threadId, 'refund:4711', { wait: '60' }), options));
    expect(changed.json()).toMatchObject({ state: 'started', in_doubt: true });
    expect(changed.headers.etag).not.toBe(headers.etag);
  });

  it('wakes those who wait for it, alone and in the list', async () => {
    const threadId = newThreadId();
    await claimed(server.api, threadId);
    const one = server.api.get(effectsPath(threadId, 'refund:4711', { wait: '60' }));
    const list = server.api.get(effectsPath(threadId, undefined, { wait: '60' }));
    await settled(server.api, threadId, { outcome: 'completed' });
    expect(ok(await one).json()).toMatchObject({ state: expect.stringMatching(/started|completed/) });
    const { etag } = ok(await list).headers;
    const known = { headers: { 'if-none-match': etag! } };
    await claimed(server.api, threadId, { key: 'other' });
    expect((await server.api.get(effectsPath(threadId), known)).status).toBe(200);
    const now = ok(await server.api.get(effectsPath(threadId)));
    expect(
      (await server.api.get(effectsPath(threadId), { headers: { 'if-none-match': now.headers.etag! } })).status,
    ).toBe(304);
  });

  it('has any text for a key', async () => {
    const threadId = newThreadId('a/b ');
    for (const key of ['a/b?c#d%2f', 'ünïcode 🚀', '%', '..a', ' ', 'x'.repeat(512)]) {
      await claimed(server.api, threadId, { key });
      expect(await settled(server.api, threadId, { outcome: 'completed', result: key }, key)).toMatchObject({ key });
      expect(await effectOf(server.api, threadId, key)).toMatchObject({ key, result: key });
    }
    expect(gist(await claim(server.api, threadId, { key: 'x'.repeat(513) }))).toBe('400 invalid_request');
    expect(gist(await settle(server.api, threadId, { outcome: 'completed' }, 'none'))).toBe('404 effect_not_found');
    expect(gist(await server.api.get(effectsPath(threadId, 'a\0b')))).toBe('404 effect_not_found');
    expect(gist(await server.api.get(effectsPath('nowhere', 'a')))).toBe('404 thread_not_found');
  });

  it('is listed page by page, by state and run', async () => {
    const threadId = newThreadId();
    for (const key of ['a', 'b', 'c']) await claimed(server.api, threadId, { key, trace_id: `run-${key}` });
    await settled(server.api, threadId, { outcome: 'completed' }, 'b');
    const keys = async (query: Record<string, string>) =>
      (await effectsOf(server.api, threadId, query)).map(({ key }) => key);
    expect(await keys({})).toEqual(['a', 'b', 'c']);
    expect(await keys({ state: 'started' })).toEqual(['a', 'c']);
    expect(await keys({ state: 'in_doubt' })).toEqual([]);
    expect(await keys({ trace_id: 'run-b' })).toEqual(['b']);
    const first = ok(await server.api.get(effectsPath(threadId, undefined, { limit: '2' })));
    const { next_cursor } = first.json<{ next_cursor: string }>();
    expect(await keys({ limit: '2', cursor: next_cursor })).toEqual(['c']);
    expect(gist(await server.api.get(effectsPath(threadId, undefined, { cursor: 'x' })))).toBe('400 invalid_request');
  });

  it('above a mebibyte is settled without its result', async () => {
    const threadId = newThreadId();
    await claimed(server.api, threadId);
    const long = await settle(server.api, threadId, { outcome: 'completed', result: 'x'.repeat(1024 * 1024) });
    expect(problemOf(long, 413)).toMatchObject({ code: 'effect_too_large', errors: [{ path: 'result' }] });
    const done = await settled(server.api, threadId, { outcome: 'completed', result_omitted: true });
    expect(done).toMatchObject({ state: 'completed', result: null, result_omitted: true });
  });

  it.each([
    [{ trace_id: 5 }, 'trace_id'],
    [{ key: '' }, 'key'],
    [{ key: undefined }, 'key'],
    [{ kind: 'read' }, 'kind'],
    [{ doubt_after_seconds: 0 }, 'doubt_after_seconds'],
    [{ fence: 'x' }, 'fence'],
    [{ surprise: 1 }, 'surprise'],
  ])('with %p is refused, and nothing is kept', async (fields, path) => {
    const threadId = newThreadId();
    expect(problemOf(await claim(server.api, threadId, fields), 400).errors).toMatchObject([{ path }]);
    expect(gist(await server.api.get(effectsPath(threadId)))).toBe('404 thread_not_found');
  });
});

describe('A claim before the first report', () => {
  it('makes the thread known and no more', async () => {
    const threadId = newThreadId();
    await claimed(server.api, threadId);
    expect((await listOf(server.api, { q: threadId })).items).toEqual([]);
    expect((await server.api.get(latestPath(threadId))).status).toBe(404);
    await record(server.api, working({ threadId, traceId: 'run-1' }, 0));
    expect((await latestOf(server.api, threadId)).step_index).toBe(0);
    const { started_at, updated_at } = await detailOf(server.api, threadId);
    const { started_at: claimedAt } = await effectOf(server.api, threadId);
    expect(started_at).toBe(updated_at);
    expect(Date.parse(String(started_at))).toBeGreaterThanOrEqual(Date.parse(String(claimedAt)));
  });
});

describe('A token that is bound to agents', () => {
  it('claims, sees and settles effects of its own agents alone', async () => {
    const threadId = newThreadId();
    const [support, billing] = [await tokenOf('runner', ['support']), await tokenOf('runner', ['billing'])];
    await claimed(support, threadId, { agent_id: 'support:de' });
    expect(gist(await claim(billing, threadId))).toBe('403 agent_not_allowed');
    await claimed(billing, threadId, { agent_id: undefined });
    expect(await effectsOf(support, threadId)).toMatchObject([{ agent_id: 'support:de' }]);
    expect(await effectOf(billing, threadId)).toMatchObject({ agent_id: 'billing' });
    expect(gist(await settle(support, threadId, { outcome: 'failed' }, 'refund:4711', { agent_id: 'billing' }))).toBe(
      '404 effect_not_found',
    );
    const both = problemOf(await settle(server.api, threadId, { outcome: 'failed' }), 409);
    expect(both).toMatchObject({ code: 'ambiguous_effect', agents: ['billing', 'support'] });
    expect(problemOf(await server.api.get(effectsPath(threadId, 'refund:4711')), 409).code).toBe('ambiguous_effect');
    const query = { agent_id: 'support:at' };
    expect(await settled(server.api, threadId, { outcome: 'completed' }, 'refund:4711', query)).toMatchObject({
      agent_id: 'support:de',
    });
    expect(await effectOf(billing, threadId)).toMatchObject({ state: 'started' });
  });
});

const asking = (pending_tool_calls: unknown[]) => ({ pending_tool_calls });

function hexEscape(text: string, at: number): string {
  return `\\u${text.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0')}`;
}

describe('A claim of a call that a person decides', () => {
  const call = { call_id: 'call-issue_refund', tool: 'issue_refund' };

  it('waits for the decision, and takes the approved arguments', async () => {
    const run = newRun();
    const own = { ...call, trace_id: run.traceId, args: { cents: 1999.0, order: 4711 } };
    await record(server.api, working(run, 0), waiting(run, 1));
    expect(gist(await claim(server.api, run.threadId, own))).toBe('409 approval_pending');
    await decided(server.api, 'approve', run, 1);
    expect(gist(await claim(server.api, run.threadId, { ...own, args: { order: 4711, cents: 1 } }))).toBe(
      '422 effect_not_approved',
    );
    const text = JSON.stringify(own.args);
    expect(gist(await claim(server.api, run.threadId, { ...own, args: text, key: 'as text' }))).toBe('201');
    expect(gist(await claim(server.api, run.threadId, own))).toBe('201');
    expect(gist(await claim(server.api, run.threadId, { ...own, call_id: 'other', key: 'other' }))).toBe('201');
  });

  it('takes the edited arguments, and nothing that was rejected by itself', async () => {
    const run = newRun();
    const calls = [REFUND, toolCall('send_mail', { to: 'a' })];
    await record(server.api, working(run, 0));
    await record(
      server.api,
      waiting(run, 1, { pending_tool_calls: calls, approval_features: ['per_call', 'edit_args'] }),
    );
    await decided(server.api, 'approve', run, 1, {
      decisions: [
        { index: 0, decision: 'approve', args: { order: 4711, cents: 5 } },
        { index: 1, decision: 'reject' },
      ],
    });
    const own = { ...call, trace_id: run.traceId };
    expect(gist(await claim(server.api, run.threadId, { ...own, args: { order: 4711, cents: 1999 } }))).toBe(
      '422 effect_not_approved',
    );
    expect(gist(await claim(server.api, run.threadId, { ...own, args: { order: 4711, cents: 5 } }))).toBe('201');
    const mail = { ...own, key: 'mail', call_id: 'call-send_mail', args: { to: 'a' } };
    expect(gist(await claim(server.api, run.threadId, mail))).toBe('409 effect_rejected');
  });

  it('finds its call among many, however its agent escapes the id', async () => {
    const run = newRun();
    const ids = ['a/b', 'ä"\\', '\u{1f600}', 'call_7', `${'long '.repeat(40)}id`];
    const escapings = [
      (id: string) => JSON.stringify(id),
      (id: string) => JSON.stringify(id).replaceAll('/', '\\/'),
      (id: string) => `"${Array.from({ length: id.length }, (_, i) => hexEscape(id, i)).join('')}"`,
    ];
    const others = Array.from({ length: 25 }, (_, i) => toolCall('look', { i, like: ids }, `other ${i}`));
    await record(server.api, working(run, 0), ...others.map((one, i) => waiting(run, i + 1, asking([one]))));
    for (const [i, id] of ids.entries()) {
      for (const [j, escaped] of escapings.map((escape) => escape(id)).entries()) {
        const call = `{"id":${escaped},"type":"function","function":{"name":"pay","arguments":{}}}`;
        const step = 100 + 10 * i + j;
        const text = JSON.stringify({ events: [waiting(run, step, asking(['CALL']))] }).replace('"CALL"', call);
        ok(await server.api.post('/v1/runners/events', text));
        const claimOfCall = { trace_id: run.traceId, call_id: id, key: `${step}`, args: {} };
        expect([id, j, gist(await claim(server.api, run.threadId, claimOfCall))]).toEqual([
          id,
          j,
          '409 approval_pending',
        ]);
        await decided(server.api, 'reject', run, step);
        expect(gist(await claim(server.api, run.threadId, claimOfCall))).toBe('409 effect_rejected');
      }
    }
  });

  it('ends with its approval', async () => {
    const [rejected, superseded] = [newRun(), newRun()];
    for (const run of [rejected, superseded]) await record(server.api, working(run, 0), waiting(run, 1));
    await decided(server.api, 'reject', rejected, 1);
    await record(server.api, working(superseded, 2));
    const own = (traceId: string) => ({ ...call, trace_id: traceId, args: { order: 4711, cents: 1999 } });
    expect(gist(await claim(server.api, rejected.threadId, own(rejected.traceId)))).toBe('409 effect_rejected');
    expect(gist(await claim(server.api, superseded.threadId, own(superseded.traceId)))).toBe('409 approval_superseded');
  });
});
