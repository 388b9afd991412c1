import { randomUUID } from 'node:crypto';
import { newRun, toolCall, waiting, working } from '../../factories/waiting.js';
import { approvalOf, approvalPage, decide, pendingCountOf } from '../../support/approvals.js';
import { inOneGroup } from '../../support/held-writer.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { problemOf } from '../../support/problem.js';
import { latestOf, ok, record } from '../../support/recording.js';
import { allowing, makeRule, opening, revoke, ruleFor, ruleOf, type RuleRecord } from '../../support/rules.js';

let server: InProcessApp;

beforeAll(async () => {
  server = await startApp();
});
afterAll(() => server.stop());

const newAgent = () => `agent-${randomUUID()}`;

describe('A standing rule', () => {
  it('decides in the transaction that opens the calls: the first poll has the decision, and nothing waits', async () => {
    const agent = newAgent();
    const rule = await makeRule(server.api, allowing(agent));
    const run = newRun();
    await record(server.api, opening(agent, run));
    const by = { decided_by: `rule:${rule.id}`, reason: 'It changes nothing.' };
    expect(await latestOf(server.api, run.threadId)).toMatchObject({
      status: 'approved',
      approval: { status: 'approved', ...by, tool_calls: [{ decision: 'approve', rule_id: rule.id }] },
    });
    expect(await approvalOf(server.api, run, 1)).toMatchObject({
      ...{ status: 'approved', decided_through: 'rule', rule_id: rule.id, ...by },
      tool_calls: [{ decision: 'approve', edited_args: null }],
    });
    expect(await pendingCountOf(server.api, run.threadId)).toBe(0);
    expect(await ruleOf(server.api, rule.id)).toMatchObject({ uses: 1, last_used_at: expect.any(String) });
    for (const status of ['all', 'decided']) {
      const { items } = await approvalPage(server.api, { status, rule_id: rule.id });
      expect(items).toMatchObject([{ trace_id: run.traceId }]);
      expect((await approvalPage(server.api, { status, rule_id: rule.id.slice(1) })).items).toEqual([]);
    }
  });

  it('that was revoked decides nothing more, and stays readable', async () => {
    const agent = newAgent();
    const rule = await makeRule(server.api, allowing(agent));
    expect((await revoke(server.api, rule.id)).status).toBe(204);
    expect((await revoke(server.api, rule.id)).status).toBe(204);
    const run = newRun();
    await record(server.api, opening(agent, run));
    expect((await approvalOf(server.api, run, 1)).status).toBe('pending');
    expect(await ruleOf(server.api, rule.id)).toMatchObject({ status: 'revoked', revoked_through: expect.any(String) });
  });

  it('lists what it decided page by page, also of threads that were imported', async () => {
    const agent = newAgent();
    const rule = await makeRule(server.api, allowing(agent));
    const runs = [newRun(), newRun(), newRun()];
    for (const run of runs) await record(server.api, opening(agent, run));
    const path = `/v1/threads/${runs[0]!.threadId}/export`;
    const { text } = ok(await server.api.get(path));
    expect((await server.api.delete(`/threads/${runs[0]!.threadId}`)).status).toBe(204);
    const lines = { headers: { 'content-type': 'application/x-ndjson' } };
    expect((await server.api.post('/v1/threads/import', text, lines)).status).toBe(201);
    const filter = { status: 'decided', rule_id: rule.id };
    const { items: all } = await approvalPage(server.api, filter);
    const paged: unknown[] = [];
    for (let cursor: string | null = ''; cursor !== null && paged.length < 9;) {
      const page = await approvalPage(server.api, { ...filter, limit: '1', ...(cursor !== '' && { cursor }) });
      paged.push(...page.items);
      cursor = page.next_cursor;
    }
    expect(paged).toEqual(all);
    expect(paged).toHaveLength(runs.length);
  });

  it.each(['deny', 'ask'] as const)('that says %s beats one that allows, whichever was first', async (effect) => {
    const agent = newAgent();
    const other = await makeRule(server.api, ruleFor(effect, agent));
    await makeRule(server.api, allowing(agent));
    const run = newRun();
    await record(server.api, opening(agent, run));
    const expected =
      effect === 'deny' ? { status: 'rejected', rule_id: other.id } : { status: 'pending', rule_id: null };
    expect(await approvalOf(server.api, run, 1)).toMatchObject(expected);
  });

  it('decides all calls of a record or none, unless the agent can run some without the others', async () => {
    const agent = newAgent();
    const allow = await makeRule(server.api, allowing(agent));
    const [mixed, whole, split] = [newRun(), newRun(), newRun()];
    await record(server.api, opening(agent, mixed, { command: 'git status' }, { command: 'git push' }));
    expect((await approvalOf(server.api, mixed, 1)).status).toBe('pending');
    const where = [{ path: '/command', equals: 'git push' }];
    const deny = await makeRule(server.api, ruleFor('deny', agent, { where }));
    await record(server.api, opening(agent, whole, { command: 'git status' }, { command: 'git push' }));
    expect(await approvalOf(server.api, whole, 1)).toMatchObject({ status: 'rejected', rule_id: deny.id });
    const calls = [toolCall('Bash', { command: 'git status' }, 'a'), toolCall('Bash', { command: 'git push' }, 'b')];
    const features = { agent_id: agent, pending_tool_calls: calls, approval_features: ['per_call'] };
    await record(server.api, waiting(split, 1, features));
    expect(await approvalOf(server.api, split, 1)).toMatchObject({
      ...{ status: 'approved', rule_id: deny.id },
      tool_calls: [
        { decision: 'approve', rule_id: allow.id, reason: 'It changes nothing.' },
        { decision: 'reject', rule_id: deny.id },
      ],
    });
    for (const id of [allow.id, deny.id]) {
      const { items } = ok(await server.api.get(`/approvals?status=all&rule_id=${id}`)).json<{ items: unknown[] }>();
      expect(items).toContainEqual(expect.objectContaining({ trace_id: split.traceId }));
    }
  });

  it('counts the calls of a record, and leaves the rest to people when its limit is reached', async () => {
    const agent = newAgent();
    const rule = await makeRule(server.api, allowing(agent, { limits: { per_day: 3 } }));
    const runs = [newRun(), newRun(), newRun()];
    const status = { command: 'git status' };
    await record(server.api, opening(agent, runs[0]!, status, status));
    await record(server.api, opening(agent, runs[1]!, status, status));
    await record(server.api, opening(agent, runs[2]!));
    const statuses = await Promise.all(runs.map(async (run) => (await approvalOf(server.api, run, 1)).status));
    expect(statuses).toEqual(['approved', 'pending', 'approved']);
    expect((await ruleOf(server.api, rule.id)).uses).toBe(3);
  });

  it('is paid for by the oldest with room', async () => {
    const agent = newAgent();
    const first = await makeRule(server.api, allowing(agent, { limits: { per_day: 1 } }));
    const second = await makeRule(server.api, allowing(agent, { limits: { per_day: 1 } }));
    const runs = [newRun(), newRun(), newRun()];
    for (const run of runs) await record(server.api, opening(agent, run));
    const rules = await Promise.all(runs.map(async (run) => (await approvalOf(server.api, run, 1)).rule_id));
    expect(rules).toEqual([first.id, second.id, null]);
  });

  it('adds exactly: 0.1 and 0.2 are 0.3', async () => {
    const agent = newAgent();
    const limits = { per_day: 100, sum: { path: '/amount', per_day: 0.3 } };
    const where = [{ path: '/amount', min: 0 }];
    const rule = await makeRule(server.api, { ...allowing(agent, { where, limits }) });
    const runs = [newRun(), newRun(), newRun()];
    const amounts = [0.1, 0.2, 1e-30];
    for (const [i, run] of runs.entries()) await record(server.api, opening(agent, run, { amount: amounts[i] }));
    const statuses = await Promise.all(runs.map(async (run) => (await approvalOf(server.api, run, 1)).status));
    expect(statuses).toEqual(['approved', 'approved', 'pending']);
    expect((await ruleOf(server.api, rule.id)).uses).toBe(2);
  });

  it('counts the openings that share a transaction', async () => {
    const agent = newAgent();
    const rule = await makeRule(server.api, allowing(agent, { limits: { per_day: 4 } }));
    const runs = Array.from({ length: 12 }, () => newRun());
    await inOneGroup(server, ...runs.map((run) => () => record(server.api, opening(agent, run))));
    const statuses = await Promise.all(runs.map(async (run) => (await approvalOf(server.api, run, 1)).status));
    expect(statuses.filter((status) => status === 'approved')).toHaveLength(4);
    expect((await ruleOf(server.api, rule.id)).uses).toBe(4);
  });

  it('does not decide calls that the same batch supersedes, and pays nothing for them', async () => {
    const agent = newAgent();
    const rule = await makeRule(server.api, allowing(agent));
    const run = newRun();
    await record(server.api, opening(agent, run), working(run, 2, { agent_id: agent }));
    expect(await approvalOf(server.api, run, 1)).toMatchObject({ status: 'superseded', rule_id: null });
    expect((await ruleOf(server.api, rule.id)).uses).toBe(0);
  });

  it('decides calls that come back after others took their place', async () => {
    const agent = newAgent();
    await makeRule(server.api, allowing(agent));
    const run = newRun();
    await record(
      server.api,
      opening(agent, run, { command: 'git push' }),
      opening(agent, run, { command: 'git pull' }),
      opening(agent, run),
    );
    const { items } = ok(await server.api.get(`/approvals?status=all&trace_id=${run.traceId}`)).json<{
      items: RuleRecord[];
    }>();
    expect(items.map(({ status }) => status).toSorted()).toEqual(['approved', 'superseded', 'superseded']);
    expect(await latestOf(server.api, run.threadId)).toMatchObject({ status: 'approved' });
  });

  it('leaves what waits already to people, and a later decision of a person is the same as ever', async () => {
    const agent = newAgent();
    const run = newRun();
    await record(server.api, opening(agent, run));
    await makeRule(server.api, allowing(agent));
    expect((await approvalOf(server.api, run, 1)).status).toBe('pending');
    expect((await decide(server.api, 'approve', run, 1, { decided_by: 'ada' })).status).toBe(200);
    const ruled = newRun();
    await record(server.api, opening(agent, ruled));
    problemOf(await decide(server.api, 'reject', ruled, 1), 409);
    expect((await decide(server.api, 'approve', ruled, 1)).json()).toMatchObject({ decided_through: 'rule' });
  });
});
