import { ConsoleVisitor, newCode } from './console-visitor.js';
import { asking, COLOUR, questionCall } from '../factories/asking.js';
import { checkpoint, completed, newThreadId, started } from '../factories/events.js';
import { newRun, waiting, working } from '../factories/waiting.js';
import type { ApiClient } from './api-client.js';
import { approvalPath } from './approvals.js';
import { claimed, effectsPath, settled } from './effects.js';
import { fenced, leased, leasePath, release } from './leases.js';
import { b64, digestOf, putState, putWrites, valuesOf, writesOf } from './states.js';
import { waitFor } from './wait.js';
import { createNotice, deliveriesOf, NOTICES } from './notices.js';
import { EVENTS, ok, record, snapshotOf, threadPath } from './recording.js';
import { allowing, makeRule, openedBy, revoke, ruleFor } from './rules.js';

/** Texts that are easily changed in transit: quotes, line ends, apparent escapes, all planes of Unicode, numbers beyond a double. */
const EXACT =
  '{"role":"user","content":"it\'s \\"odd\\" \\\\N \\\\. \\r\\n\\t\\u2028 \\ud800 \u00e4\u6f22\ud83d\ude80 {NULL}",' +
  '"big":12345678901234567890,"precise":0.1000000000000000055511151231257827,"__proto__":{"a":1},"empty":""}';

/** Fills every table that reports and people fill. @returns the ids of the threads that stay */
export async function fillStorage(api: ApiClient, threads = 3): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < threads; n++) {
    const id = newThreadId('kept');
    ids.push(id);
    await record(api, started(id), checkpoint(id, 0), checkpoint(id, 1), checkpoint(id, 1, { tokens_used: 77 }));
    await record(api, { type: 'budget_warning', id: `event-${n}`, data: { thread_id: id, run_cost_usd: 1 / 3 } });
    const data = `{"thread_id":"${id}","trace_id":"it's \\"odd\\" \u00e4\ud83d\ude80","history":[${EXACT}],"step_index":0,"own":[1e400]}`;
    ok(await api.post(EVENTS, `{"events":[{"type":"checkpoint","data":${data}}]}`));
    if (n % 2 === 0) await record(api, completed(id));
  }
  await claimed(api, ids[0]!, { args: { odd: "it's \\N {NULL}" }, holder: 'w', claim_id: 'c', kind: 'idempotent' });
  await settled(api, ids[0]!, `{"outcome":"completed","result":${EXACT},"error":1e400}`);
  await claimed(api, ids[0]!, { key: 'doubt', args: undefined, call_id: 'x' });
  await settled(api, ids[0]!, { outcome: 'unknown', reason: 'no answer' }, 'doubt');
  await putState(api, ids[0]!, 'c1', { values: valuesOf({ odd: "it's \\N {NULL}" }), metadata: { "it's": '\\N' } });
  await putWrites(api, ids[0]!, 'c1', writesOf("it's", [0, 'odd', '\\.']));
  await fillStates(api, ids[0]!);
  await release(api, ids[0]!, await leased(api, ids[0]!, 'w', { trace_id: 'later' }), 'later');
  const fence = await leased(api, ids[0]!, "it's w", { ttl_seconds: 3600, trace_id: 'leased' });
  await record(api, fenced(checkpoint(ids[0]!, 0, { trace_id: 'leased' }), fence));
  await leased(api, newThreadId('known'), 'w', { ttl_seconds: 3600, agent_id: 'support' });
  const run = newRun('waits');
  await record(api, working(run, 0), waiting(run, 1));
  ids.push(run.threadId, ...(await fillQuestions(api)), ...(await fillRules(api)));
  await record(api, {
    type: 'heartbeat',
    data: { agent_id: 'support', endpoint: 'http://127.0.0.1:9/', invoke_token: 't' },
  });
  await api.post('/v1/tokens', { scope: 'runner', name: 'kept', agent_ids: ['support'] });
  await ConsoleVisitor.signIn(api);
  await newCode(api);
  const gone = newThreadId('gone');
  await record(api, fenced(checkpoint(gone, 0), await leased(api, gone, 'w')));
  await api.delete(threadPath(gone));
  return ids;
}

/** An answered question and a waiting one, with a reminder; a notice has failed to deliver both. */
async function fillQuestions(api: ApiClient): Promise<string[]> {
  const notice = await createNotice(api, 'http://127.0.0.1:9/', { name: "it's \\N", events: ['approval_waiting'] });
  const [answered, open] = [newRun('answered'), newRun('asked')];
  const call = questionCall([
    { ...COLOUR, default: 'b' },
    { text: "it's \\N {NULL}", required: false },
  ]);
  for (const one of [answered, open]) await record(api, asking(one, 0, [call], { approval_remind_seconds: [86_400] }));
  const values = { q0: 'Red', q1: "it's \ud83d\ude80 \\N" };
  ok(await api.post(approvalPath(answered.traceId, 0, '/answer'), { answers: [{ index: 0, values }] }));
  await waitFor('an attempt', async () => (await deliveriesOf(api, notice.id)).some(({ attempts }) => attempts > 0));
  // From now on, its rows do not change.
  ok(await api.send('PATCH', `${NOTICES}/${notice.id}`, { enabled: false }));
  return [answered.threadId, open.threadId];
}

/** A used `allow` whose amounts no double holds, an ended one, and a `deny`. */
async function fillRules(api: ApiClient): Promise<string[]> {
  const limits = { per_day: 5, sum: { path: '/amount', per_day: 1 } };
  const where = [
    { path: '/amount', min: 0 },
    { path: '/text', any: true },
  ];
  await makeRule(api, allowing('ruled', { where, limits, note: "it's \\N {NULL} \ud83d\ude80" }));
  await makeRule(api, ruleFor('deny', 'ruled', { tools: ['Write'], expires_at: '9999-12-31T00:00:00Z' }));
  await revoke(api, (await makeRule(api, allowing('ruled', { limits }))).id);
  const runs = [];
  for (const amount of [0.1, 0.2, 1e-30]) runs.push(await openedBy(api, 'ruled', { amount, text: "it's \\N" }));
  return runs.map(({ threadId }) => threadId);
}

/** Checkpoints that share a long value of all bytes, in two namespaces and of two agents. */
async function fillStates(api: ApiClient, threadId: string): Promise<void> {
  const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, n) => n % 256));
  const shared = { version: '00000000000000000000000000000002.0.5', type: 'bytes', data: b64(bytes) };
  const known = { version: 1.5, type: 'bytes', digest: digestOf(bytes) };
  const exact = `{"checkpoint":{"type":"msgpack","data":"AP8="},"metadata":${EXACT},"values":${JSON.stringify({ shared })}}`;
  await putState(api, threadId, 'c2', exact);
  await putState(api, threadId, 'c3', { parent_id: 'c2', values: { shared: known } });
  await putState(api, threadId, 'c1', { values: { shared: known, again: known } }, { ns: 'child:\ud83d\ude80|x' });
  await putState(api, threadId, 'c1', { values: { shared } }, { agent_id: 'other' });
}

/** Everything that the API returns about these threads. */
export async function snapshotsOf(api: ApiClient, ids: readonly string[]): Promise<unknown[]> {
  const effectsOf = async (id: string) => ok(await api.get(effectsPath(id))).text;
  const leaseOf = async (id: string) => (await api.get(leasePath(id, '', 'leased'))).json();
  const statesOf = async (id: string) =>
    ok(await api.get(`/v1/runners/state?thread_id=${encodeURIComponent(id)}`)).text;
  return Promise.all(
    ids.map(async (id) => [await snapshotOf(api, id), await effectsOf(id), await leaseOf(id), await statesOf(id)]),
  );
}
