import { MAIL, newRun, REFUND, toolCall, waiting, type RunIds } from '../../factories/waiting.js';
import { approvalOf, approvalPath, decide, decided, type Approval } from '../../support/approvals.js';
import { problemOf } from '../../support/problem.js';
import { rawAt } from '../../support/raw-json.js';
import { EVENTS, latestOf, latestPath, ok, record } from '../../support/recording.js';
import { useSharedServer } from '../../support/shared-server.js';

const server = useSharedServer();
const BIG = '12345678901234567890123';

async function twoCalls(fields: Record<string, unknown> = {}): Promise<RunIds> {
  const run = newRun();
  await record(server.api, waiting(run, 1, { pending_tool_calls: [REFUND, MAIL], ...fields }));
  return run;
}

const verdicts = ({ tool_calls: calls }: Approval) => calls.map(({ decision }) => decision);

describe('A decision', () => {
  it('needs no body, and its record says what was decided, when and through what', async () => {
    const run = await twoCalls();
    const before = Date.now();
    const approval = await decided(server.api, 'approve', run, 1);
    expect(approval).toMatchObject({ status: 'approved', decided_through: 'machine secret', reason: null });
    expect(verdicts(approval)).toEqual(['approve', 'approve']);
    // A server knows PostgreSQL's clock only as exactly as PostgreSQL responds quickly.
    expect(Date.parse(approval.decided_at!)).toBeGreaterThan(before - 1000);
    expect(Date.parse(approval.decided_at!)).toBeLessThan(Date.now() + 1000);
    expect(await approvalOf(server.api, run, 1)).toEqual(approval);
  });

  it('keeps who took it, why and with which token', async () => {
    const run = await twoCalls();
    const order = { scope: 'approver', name: 'console of Kim' };
    const { token } = (await server.api.post('/v1/tokens', order)).json<{ token: string }>();
    const approver = server.api.as(token);
    const approval = await decided(approver, 'reject', run, 1, { reason: 'not today — “no”', decided_by: 'kim' });
    const audit = { decided_by: 'kim', decided_through: 'console of Kim', reason: 'not today — “no”' };
    expect(approval).toMatchObject({ status: 'rejected', ...audit });
    const { approval: told } = await latestOf(server.api, run.threadId);
    expect(told).toMatchObject({ status: 'rejected', decided_by: 'kim', reason: 'not today — “no”' });
  });

  it('of the same verb again, by anyone, answers the same record', async () => {
    const run = await twoCalls();
    const first = await decided(server.api, 'approve', run, 1, { decided_by: 'ada', reason: 'fine' });
    const { etag } = (await server.api.get(latestPath(run.threadId))).headers;
    expect(await decided(server.api, 'approve', run, 1, { decided_by: 'bob', reason: 'me too' })).toEqual(first);
    expect(await decided(server.api, 'approve', run, 1)).toEqual(first);
    expect((await server.api.get(latestPath(run.threadId))).headers.etag).toBe(etag);
  });

  it('of the same verb, but with other edits or for other calls, comes too late; the same edits get the same record', async () => {
    const run = await twoCalls({ approval_features: ['per_call', 'edit_args'] });
    const edited = (amount: string) => `{"decisions":[{"index":0,"decision":"approve","args":{"amount":${amount}}}]}`;
    const first = await decided(server.api, 'approve', run, 1, edited(BIG));
    expect(await decided(server.api, 'approve', run, 1, edited(` ${BIG} `))).toEqual(first);
    const others = [undefined, edited('12345678901234567890124'), { decisions: [{ index: 1, decision: 'reject' }] }];
    for (const other of others) {
      const problem = problemOf(await decide(server.api, 'approve', run, 1, other), 409);
      expect(problem).toMatchObject({ code: 'approval_closed', approval: { status: 'approved' } });
    }
    problemOf(await decide(server.api, 'approve', run, 1, { decisions: [{ index: 2, decision: 'approve' }] }), 400);
    expect(await approvalOf(server.api, run, 1)).toEqual(first);
  });

  it('of the other verb afterwards is refused, and names what was decided', async () => {
    const run = await twoCalls();
    const first = await decided(server.api, 'reject', run, 1);
    const problem = problemOf(await decide(server.api, 'approve', run, 1), 409);
    expect(problem).toMatchObject({
      code: 'approval_closed',
      approval: { trace_id: run.traceId, step: 1, status: 'rejected', digest: first.digest },
    });
    expect(await approvalOf(server.api, run, 1)).toEqual(first);
  });
});

describe('A decision on single calls', () => {
  it('is taken where the agent reads it; the calls not named take the verb of the path', async () => {
    const run = await twoCalls({ approval_features: ['per_call'] });
    const decisions = [{ index: 1, decision: 'reject', reason: 'wrong address' }];
    const approval = await decided(server.api, 'approve', run, 1, { decisions });
    expect(approval).toMatchObject({ status: 'approved', approval_features: ['per_call'] });
    expect(verdicts(approval)).toEqual(['approve', 'reject']);
    expect(approval.tool_calls[1]!.reason).toBe('wrong address');
    const latest = await latestOf(server.api, run.threadId);
    expect(latest).toMatchObject({ status: 'approved', pending_tool_calls: [] });
    expect(latest.approval).toMatchObject({ tool_calls: [{ decision: 'approve' }, { decision: 'reject' }] });
  });

  it('may turn every call against the verb of the path', async () => {
    const run = await twoCalls({ approval_features: ['per_call'] });
    const decisions = [0, 1].map((index) => ({ index, decision: 'reject' }));
    expect(await decided(server.api, 'approve', run, 1, { decisions })).toMatchObject({ status: 'rejected' });
    expect(await latestOf(server.api, run.threadId)).toMatchObject({ status: 'rejected' });
  });

  it('with edited arguments hands them to the agent to the last digit', async () => {
    const run = newRun();
    const call = `{"name":"pay","args":{"cents":${BIG}}}`;
    const features = { approval_features: ['edit_args'], pending_tool_calls: ['CALL'] };
    const events = JSON.stringify({ events: [waiting(run, 0, features)] }).replace('"CALL"', call);
    ok(await server.api.post(EVENTS, events));
    const args = `{ "cents" : ${BIG}1, "note": "é \\u00e9 \\ud83d\\ude00" }`;
    const body = `{"decisions":[{"index":0,"decision":"approve","args":${args}}]}`;
    const answer = ok(await decide(server.api, 'approve', run, 0, body)).text;
    const latest = ok(await server.api.get(latestPath(run.threadId))).text;
    for (const text of [answer, rawAt(latest, 'approval')!]) {
      expect(rawAt(text, 'tool_calls', 0, 'edited_args')).toBe(args);
      expect(rawAt(text, 'tool_calls', 0, 'args')).toBe(`{"cents":${BIG}}`);
      expect(rawAt(text, 'tool_calls', 0, 'raw')).toBe(call);
    }
  });

  it.each([
    ['per_call', [{ index: 1, decision: 'reject' }], ['edit_args']],
    ['edit_args', [{ index: 0, decision: 'approve', args: {} }], ['per_call']],
    ['per_call', [{ index: 0, decision: 'reject' }], null],
  ])('is refused where the agent does not declare %s, and nothing is decided', async (missing, decisions, features) => {
    const run = await twoCalls({ approval_features: features });
    const before = ok(await server.api.get(latestPath(run.threadId))).text;
    const problem = problemOf(await decide(server.api, 'approve', run, 1, { decisions }), 409);
    expect(problem).toMatchObject({ code: 'approval_feature_missing', missing_features: [missing] });
    expect(ok(await server.api.get(latestPath(run.threadId))).text).toBe(before);
    expect(await approvalOf(server.api, run, 1)).toMatchObject({ status: 'pending', decided_at: null });
    await decided(server.api, 'approve', run, 1);
  });

  it('that only repeats the verb of the path asks nothing of the agent', async () => {
    const run = await twoCalls();
    const decisions = [{ index: 0, decision: 'reject', reason: 'no money' }];
    const approval = await decided(server.api, 'reject', run, 1, { decisions });
    expect(verdicts(approval)).toEqual(['reject', 'reject']);
  });
});

describe('The record of an approval', () => {
  it('keeps what was reported to the last digit, whatever its shape', async () => {
    const run = newRun();
    const calls = [
      `{"id":"c1","function":{"name":"pay","arguments":"{\\"cents\\": ${BIG}}"}}`,
      `{ "name" : "pay", "input": {"cents": ${BIG}, "z": 1.10, "a": "\\u0000"} }`,
      `"just do it"`,
      `{"what":${BIG}}`,
    ];
    const events = JSON.stringify({ events: [waiting(run, 0, { pending_tool_calls: ['CALLS'] })] });
    ok(await server.api.post(EVENTS, events.replace('"CALLS"', calls.join(' , '))));
    const { text } = ok(await server.api.get(approvalPath(run.traceId, 0)));
    const args = [`{"cents": ${BIG}}`, `{"cents": ${BIG}, "z": 1.10, "a": "\\u0000"}`, calls[2], calls[3]];
    for (const [index, call] of calls.entries()) {
      expect(rawAt(text, 'tool_calls', index, 'raw')).toBe(call);
      expect(rawAt(text, 'tool_calls', index, 'args')).toBe(args[index]);
    }
    expect(JSON.parse(text)).toMatchObject({
      tool_calls: [{ id: 'c1', name: 'pay' }, { id: null, name: 'pay' }, { name: null }, { name: null }],
    });
    const afterwards = ok(await decide(server.api, 'approve', run, 0)).text;
    expect(rawAt(afterwards, 'tool_calls', 1, 'raw')).toBe(calls[1]);
  });

  it('is found under ids that are hard to write', async () => {
    for (const traceId of ['a/b?c#d', 'ü 日本 😀', '%2F', "o'hara; --", '100%', 'stream', 'approve', 'x'.repeat(512)]) {
      const run = { ...newRun(), traceId };
      await record(server.api, waiting(run, 7, { agent_id: `agent of ${traceId.slice(0, 20)}` }));
      expect(await approvalOf(server.api, run, 7)).toMatchObject({ trace_id: traceId, thread_id: run.threadId });
      expect((await decided(server.api, 'approve', run, 7)).status).toBe('approved');
    }
  });

  it('holds many calls and long ones', async () => {
    const run = newRun();
    const calls = Array.from({ length: 300 }, (_, n) => toolCall(`tool_${n}`, { text: 'x'.repeat(3000) }));
    await record(server.api, waiting(run, 0, { pending_tool_calls: calls }));
    const { tool_calls: shown } = await decided(server.api, 'approve', run, 0);
    expect(shown.map(({ name }) => name)).toEqual(calls.map((_, n) => `tool_${n}`));
  });
});
