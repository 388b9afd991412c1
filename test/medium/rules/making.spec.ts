import { randomUUID } from 'node:crypto';
import { Database } from '../../../src/database/database.js';
import { newRun, toolCall, waiting, type RunIds } from '../../factories/waiting.js';
import { approvalOf, approvalPath, decide, decided } from '../../support/approvals.js';
import { claim, gist } from '../../support/effects.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { journalStatements } from '../../support/journal-statements.js';
import { problemOf } from '../../support/problem.js';
import { ok, record } from '../../support/recording.js';
import { allowing, makeRule, opening, revoke, ruleFor, ruleOf, RULES } from '../../support/rules.js';

interface Rehearsed {
  items: { trace_id: string; decision: string; word: string | null; why: string | null; args: { amount: number } }[];
  totals: Record<string, { calls: number; ruled: number }>;
  disagreements: number;
  is_partial: boolean;
}

interface Suggested {
  items: { rule: Record<string, unknown>; calls: number; open: string[] }[];
}

let server: InProcessApp;

beforeAll(async () => {
  server = await startApp();
});
afterAll(() => server.stop());

const newAgent = () => `agent-${randomUUID()}`;
const statusOf = async (run: RunIds) => (await approvalOf(server.api, run, 1)).status;

async function openedBy(agent: string, ...args: object[]): Promise<RunIds> {
  const run = newRun();
  await record(server.api, opening(agent, run, ...args));
  return run;
}

async function approvedBy(agent: string, ...all: object[]): Promise<RunIds[]> {
  const runs: RunIds[] = [];
  for (const args of all) {
    const run = await openedBy(agent, args);
    await decided(server.api, 'approve', run, 1);
    runs.push(run);
  }
  return runs;
}

async function rehearsed(rule: object): Promise<Rehearsed> {
  return ok(await server.api.post(`${RULES}/rehearse`, { rule })).json<Rehearsed>();
}

async function suggested(query: Record<string, string>): Promise<Suggested['items']> {
  const answer = await server.api.get(`${RULES}/suggestions?${new URLSearchParams(query).toString()}`);
  return ok(answer).json<Suggested>().items;
}

it('Without rules, an opening asks and writes nothing for them', async () => {
  const statementsOf = journalStatements(server);
  await openedBy('nobody');
  const { asked, written } = await statementsOf(() => openedBy('nobody'));
  expect(written.length).toBeGreaterThan(0);
  expect([...asked, ...written].filter((sql) => /approval_rule|advisory/.test(sql))).toEqual([]);
});

it('An opening finds the active rules along an index, however many have been revoked', async () => {
  const database = server.app.get(Database, { strict: false });
  const revoked = Array.from(
    { length: 3_000 },
    (_, n) => `('gone-${n}', 'ask', '{}', ${n}, 'console', ${n + 1}, 0, '0')`,
  );
  await database.transaction(async (session) => {
    await session.execute(
      `INSERT INTO approval_rule(id, effect, rule, created_at, created_through, revoked_at, uses, amount) VALUES ${revoked.join()}`,
    );
    if (database.dialect === 'postgres') await session.execute('ANALYZE approval_rule;');
  });
  const agent = newAgent();
  await makeRule(server.api, ruleFor('ask', agent));
  const { asked } = await journalStatements(server)(() => openedBy(agent));
  const sql = asked.find((statement) => statement.startsWith('SELECT id FROM approval_rule'));
  const explain = database.dialect === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN';
  const plan = JSON.stringify(await database.read(`${explain} ${sql}`));
  expect(plan).toContain('approval_rule_active');
  await database.transaction((session) => session.execute("DELETE FROM approval_rule WHERE id LIKE 'gone-%'"));
});

describe('A rehearsal', () => {
  const rule = (agent: string) =>
    allowing(agent, {
      where: [{ path: '/amount', min: 0, max: 10 }],
      limits: { per_day: 4, sum: { path: '/amount', per_day: 20 } },
    });

  it('says what the rule then does, call by call', async () => {
    const agent = newAgent();
    const amounts = [5, 11, 10, 6, 5, 0, 0];
    await approvedBy(agent, ...amounts.map((amount) => ({ amount })));
    const { items, totals, disagreements, is_partial: isPartial } = await rehearsed(rule(agent));
    expect([disagreements, isPartial, totals.approved]).toEqual([0, false, { calls: 7, ruled: 4 }]);
    await makeRule(server.api, rule(agent));
    const statuses = new Map<string, number>();
    for (const amount of amounts) {
      const key = `${amount} ${(await statusOf(await openedBy(agent, { amount }))) === 'approved'}`;
      statuses.set(key, (statuses.get(key) ?? 0) + 1);
    }
    const said = new Map<string, number>();
    for (const { args, word } of items) {
      const key = `${args.amount} ${word === 'allow'}`;
      said.set(key, (said.get(key) ?? 0) + 1);
    }
    expect([...statuses].toSorted()).toEqual([...said].toSorted());
  });

  it('shows first where the rule disagrees; then the rule must be wanted all the same', async () => {
    const agent = newAgent();
    await approvedBy(agent, { amount: 1 }, { amount: 2 });
    const rejected = await openedBy(agent, { amount: 3 });
    await decided(server.api, 'reject', rejected, 1);
    const edited = newRun();
    const call = toolCall('Bash', { amount: 4 });
    await record(
      server.api,
      waiting(edited, 1, { agent_id: agent, pending_tool_calls: [call], approval_features: ['edit_args'] }),
    );
    const decisions = [{ index: 0, decision: 'approve', args: { amount: 1 } }];
    await decided(server.api, 'approve', edited, 1, { decisions });
    const { items, totals, disagreements } = await rehearsed(rule(agent));
    expect(
      items
        .slice(0, 2)
        .map(({ decision, word }) => `${decision} ${word}`)
        .toSorted(),
    ).toEqual(['edited allow', 'rejected allow']);
    expect([disagreements, totals.approved, totals.rejected]).toEqual([
      2,
      { calls: 2, ruled: 2 },
      { calls: 1, ruled: 1 },
    ]);
    for (const wrong of [{}, { disagreements: 1 }, { disagreements: 3 }]) {
      const problem = problemOf(await server.api.post(RULES, { ...rule(agent), ...wrong }), 409);
      expect(problem).toMatchObject({ code: 'rule_disagrees', disagreements: 2, totals });
    }
    expect(await makeRule(server.api, { ...rule(agent), disagreements: 2 })).toMatchObject({ status: 'active' });
  });

  it('does not say that it allows what the agent lets nobody approve', async () => {
    const agent = newAgent();
    const run = newRun();
    const call = { ...toolCall('Bash', { amount: 1 }), allowed_decisions: ['reject'] };
    await record(
      server.api,
      waiting(run, 1, { agent_id: agent, pending_tool_calls: [call], approval_features: ['per_call'] }),
    );
    await decided(server.api, 'reject', run, 1);
    expect((await rehearsed(rule(agent))).totals.rejected).toEqual({ calls: 1, ruled: 0 });
  });
});

describe('Suggestions', () => {
  it('are drafted from five approved calls, and from those of one approval, each counted once', async () => {
    const agent = newAgent();
    const folder = '/work/repo/src';
    const calls = ['a', 'b', 'c', 'd', 'e'].map((name, n) => ({
      file: `${folder}/${name}`,
      n,
      mode: 'r',
      text: 'x'.repeat(n),
    }));
    const runs = await approvedBy(agent, ...calls.slice(0, 4));
    expect(await suggested({ agent_id: agent })).toEqual([]);
    runs.push(...(await approvedBy(agent, calls[4]!)));
    const [draft] = await suggested({ agent_id: agent });
    expect(draft).toMatchObject({ calls: 5, open: [], rule: { agents: [agent], tools: ['Bash'] } });
    expect(draft!.rule.where).toEqual([
      { path: '/file', within: folder },
      { path: '/n', min: 0, max: 4 },
      { path: '/mode', equals: 'r' },
      { path: '/text', one_of: expect.arrayContaining(['', 'x', 'xxxx']) },
    ]);
    const [own] = await suggested({ trace_id: runs[0]!.traceId, step: '1' });
    expect(own).toMatchObject({ calls: 5 });
    const waitingRun = await openedBy(agent, calls[0]!);
    expect((await suggested({ trace_id: waitingRun.traceId, step: '1' }))[0]).toMatchObject({ calls: 6 });
    await makeRule(server.api, draft!.rule);
    expect(await statusOf(await openedBy(agent, calls[2]!))).toBe('approved');
    expect(await statusOf(await openedBy(agent, { ...calls[2]!, n: 5 }))).toBe('pending');
    expect(await suggested({ agent_id: agent })).toEqual([]);
  });

  it('never bound a program by its folder, and can be made', async () => {
    const agent = newAgent();
    const commands = ['/usr/bin/git -C a status', '/usr/bin/git -C b status'].flatMap((one) => [one, one, one]);
    await approvedBy(agent, ...commands.map((command) => ({ command })));
    const [draft] = await suggested({ agent_id: agent });
    expect(draft!.rule.where).toEqual([{ path: '/command', one_of: expect.arrayContaining(commands) }]);
    await makeRule(server.api, draft!.rule);
    expect(await statusOf(await openedBy(agent, { command: '/usr/bin/git -C a status; rm -rf $HOME' }))).toBe(
      'pending',
    );
  });

  it('are not made where a person has rejected, and take no name for SQL', async () => {
    const agent = newAgent();
    await approvedBy(agent, ...Array.from({ length: 6 }, () => ({ command: 'ls' })));
    await decided(server.api, 'reject', await openedBy(agent, { command: 'ls' }), 1);
    expect(await suggested({ agent_id: agent })).toEqual([]);
    for (const name of [`' OR 1=1 --`, `\\' OR 1=1 --`, `${agent}%`])
      expect(await suggested({ agent_id: name })).toEqual([]);
    for (const query of ['', '?agent_id=a%00', '?agent_id=a&step=1', '?trace_id=a', '?trace_id=a&step=x'])
      problemOf(await server.api.get(`${RULES}/suggestions${query}`), 400);
    problemOf(await server.api.get(`${RULES}/suggestions?trace_id=none&step=1`), 404);
  });
});

describe('Rules', () => {
  it('are made by admins, and ended by approvers where they allow; runners do neither', async () => {
    const agent = newAgent();
    const [allow, deny] = [
      await makeRule(server.api, allowing(agent)),
      await makeRule(server.api, ruleFor('deny', agent)),
    ];
    const as = async (scope: string) => {
      const { token } = (await server.api.post('/v1/tokens', { scope })).json<{ token: string }>();
      return { headers: { authorization: `Bearer ${token}` } };
    };
    const [runner, approver] = [await as('runner'), await as('approver')];
    for (const [path, options] of [
      ['', runner],
      [`/${allow.id}`, runner],
      ['/suggestions?agent_id=a', runner],
    ] as const)
      problemOf(await server.api.get(`${RULES}${path}`, options), 403);
    problemOf(await server.api.post(`${RULES}/rehearse`, { rule: allowing(agent) }, runner), 403);
    problemOf(await server.api.delete(`${RULES}/${allow.id}`, runner), 403);
    for (const options of [runner, approver]) problemOf(await server.api.post(RULES, allowing(agent), options), 403);
    problemOf(await server.api.delete(`${RULES}/${deny.id}`, approver), 403);
    expect((await server.api.delete(`${RULES}/${allow.id}`, approver)).status).toBe(204);
    expect(await statusOf(await openedBy(agent))).toBe('rejected');
  });

  it('are looked up once for all openings of a transaction', async () => {
    await makeRule(server.api, allowing(newAgent()));
    const agent = newAgent();
    const statementsOf = journalStatements(server);
    const { asked } = await statementsOf(() => Promise.all(Array.from({ length: 30 }, () => openedBy(agent))));
    const looks = asked.filter((sql) => sql.includes('approval_rule'));
    expect(looks.length).toBeGreaterThan(0);
    expect(looks.length).toBeLessThan(30);
  });

  it('are read after a byte order mark, as all other bodies are', async () => {
    const rule = ruleFor('deny', newAgent());
    ok(await server.api.post(`${RULES}/rehearse`, `\ufeff${JSON.stringify({ rule })}`));
    expect((await server.api.post(RULES, `\ufeff${JSON.stringify(rule)}`)).status).toBe(201);
  });

  it('are not counted for people: nobody may be called rule:', async () => {
    const run = await openedBy(newAgent());
    for (const name of ['rule:1', ' Rule :1', 'ｒｕｌｅ：1', 'ru\u200ble:1']) {
      const problem = problemOf(await decide(server.api, 'approve', run, 1, { decided_by: name }), 400);
      expect(problem.errors).toMatchObject([{ path: 'decided_by' }]);
      const code = problemOf(await server.api.post('/v1/console/codes', { name }), 400);
      expect(code.errors).toMatchObject([{ path: 'name' }]);
    }
    expect(await statusOf(run)).toBe('pending');
  });

  it('approve for a tool of that name alone', async () => {
    const agent = newAgent();
    await makeRule(server.api, allowing(agent));
    const run = await openedBy(agent);
    const own = { trace_id: run.traceId, agent_id: agent, call_id: 'call-0', args: { command: 'git status' } };
    expect(gist(await claim(server.api, run.threadId, { ...own, tool: 'Write' }))).toBe('422 effect_not_approved');
    expect(gist(await claim(server.api, run.threadId, { ...own, tool: 'Bash', args: {} }))).toBe(
      '422 effect_not_approved',
    );
    expect(gist(await claim(server.api, run.threadId, { ...own, tool: 'Bash' }))).toBe('201');
  });

  it('take from nobody what they cannot judge: questions, limited decisions, names twice', async () => {
    const agent = newAgent();
    const rule = await makeRule(server.api, allowing(agent));
    const call = toolCall('Bash', { command: 'git status' });
    const odd = [
      { pending_tool_calls: [{ ...call, questions: [{ text: 'Really?' }] }], approval_features: ['answer'] },
      { pending_tool_calls: [{ ...call, allowed_decisions: ['reject'] }], approval_features: ['per_call'] },
      { pending_tool_calls: [{ ...call, name: 'Write' }] },
      {
        pending_tool_calls: [call, toolCall('Bash', { command: 'git status', x: 1 })],
        approval_features: ['per_call'],
      },
    ];
    for (const fields of odd) {
      const run = newRun();
      await record(server.api, waiting(run, 1, { agent_id: agent, ...fields }));
      expect([fields, await statusOf(run)]).toEqual([fields, 'pending']);
    }
    expect((await ruleOf(server.api, rule.id)).uses).toBe(0);
    expect((await server.api.post(approvalPath('none', 1, '/approve'))).status).toBe(404);
  });

  it('that this server cannot read have everything asked', async () => {
    const agent = newAgent();
    await makeRule(server.api, allowing(agent));
    const database = server.app.get(Database, { strict: false });
    const id = randomUUID();
    await database.transaction((session) =>
      session.query(
        `INSERT INTO approval_rule(id, effect, rule, created_at, created_through, uses, amount)
         VALUES ('${id}', 'deny', '{"effect":"later"}', 1, 'test', 0, '0')`,
      ),
    );
    expect(await statusOf(await openedBy(agent))).toBe('pending');
    await revoke(server.api, id);
    expect(await statusOf(await openedBy(agent))).toBe('approved');
  });

  it('are at most 200 at the same time', async () => {
    const database = server.app.get(Database, { strict: false });
    const active = ok(await server.api.get(`${RULES}?count=true&limit=1`)).json<{ total: number }>().total;
    const rows = Array.from({ length: 199 - active }, (_, n) => `('full-${n}', 'deny', '{}', 1, 'test', 0, '0', NULL)`);
    await database.transaction((session) =>
      session.query(
        `INSERT INTO approval_rule(id, effect, rule, created_at, created_through, uses, amount, expires_at) VALUES ${rows.join(',')}`,
      ),
    );
    const deny = () => ruleFor('deny', 'nobody');
    const last = await makeRule(server.api, deny());
    expect(problemOf(await server.api.post(RULES, deny()), 409).code).toBe('too_many_rules');
    await revoke(server.api, last.id);
    const both = await Promise.all([server.api.post(RULES, deny()), server.api.post(RULES, deny())]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 409]);
    await database.transaction((session) =>
      session.query(`UPDATE approval_rule SET revoked_at = 1 WHERE id LIKE 'full-%'`),
    );
  });
});
