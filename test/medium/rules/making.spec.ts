import { randomUUID } from 'node:crypto';
import { jest } from '@jest/globals';
import { Database } from '../../../src/database/database.js';
import { newRun, toolCall, waiting, type RunIds } from '../../factories/waiting.js';
import { approvalOf, approvalPath, decide, decided } from '../../support/approvals.js';
import { claim, gist } from '../../support/effects.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { journalStatements } from '../../support/journal-statements.js';
import { problemOf } from '../../support/problem.js';
import { ok, record } from '../../support/recording.js';
import {
  allowing,
  approvedBy,
  editedBy,
  makeRule,
  openedBy,
  readingSlowly,
  revoke,
  ruleFor,
  ruleOf,
  RULES,
} from '../../support/rules.js';

interface Rehearsed {
  items: { trace_id: string; decision: string; word: string | null; why: string | null; args: { amount: number } }[];
  totals: Record<string, { calls: number; ruled: number }>;
  disagreements: number;
  is_partial: boolean;
}

let server: InProcessApp;

beforeAll(async () => {
  server = await startApp();
});
afterAll(() => server.stop());

const newAgent = () => `agent-${randomUUID()}`;
const statusOf = async (run: RunIds) => (await approvalOf(server.api, run, 1)).status;

async function rehearsed(rule: object): Promise<Rehearsed> {
  return ok(await server.api.post(`${RULES}/rehearse`, { rule })).json<Rehearsed>();
}

it('Without rules, an opening asks and writes nothing for them', async () => {
  const statementsOf = journalStatements(server);
  await openedBy(server.api, 'nobody');
  const { asked, written } = await statementsOf(() => openedBy(server.api, 'nobody'));
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
  const { asked } = await journalStatements(server)(() => openedBy(server.api, agent));
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
    await approvedBy(server.api, agent, ...amounts.map((amount) => ({ amount })));
    const { items, totals, disagreements, is_partial: isPartial } = await rehearsed(rule(agent));
    expect([disagreements, isPartial, totals.approved]).toEqual([0, false, { calls: 7, ruled: 4 }]);
    await makeRule(server.api, rule(agent));
    const statuses = new Map<string, number>();
    for (const amount of amounts) {
      const key = `${amount} ${(await statusOf(await openedBy(server.api, agent, { amount }))) === 'approved'}`;
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
    await approvedBy(server.api, agent, { amount: 1 }, { amount: 2 });
    await decided(server.api, 'reject', await openedBy(server.api, agent, { amount: 3 }), 1);
    await editedBy(server.api, agent, { amount: 4 }, { amount: 1 });
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

  it('whose time is over says so, and lets nobody make an allow', async () => {
    const agent = newAgent();
    await decided(server.api, 'reject', await openedBy(server.api, agent, { amount: 3 }), 1);
    await approvedBy(server.api, agent, { amount: 1 });
    await readingSlowly(server, async () => {
      expect(await rehearsed(rule(agent))).toMatchObject({ disagreements: 0, is_partial: true });
      for (const more of [{}, { disagreements: 1 }]) {
        const answer = await server.api.post(RULES, { ...rule(agent), ...more });
        expect([problemOf(answer, 503).code, answer.headers['retry-after']]).toEqual(['history_unfinished', '5']);
      }
      await revoke(server.api, (await makeRule(server.api, ruleFor('ask', agent))).id);
    });
    expect(await statusOf(await openedBy(server.api, agent, { amount: 1 }))).toBe('pending');
    const problem = problemOf(await server.api.post(RULES, rule(agent)), 409);
    expect(problem).toMatchObject({ code: 'rule_disagrees', disagreements: 1, is_partial: false });
  });

  it('looks at the newest 10,000 calls, which are enough to make a rule', async () => {
    const agent = newAgent();
    const run = await openedBy(server.api, agent, ...Array.from({ length: 100 }, () => ({ amount: 1 })));
    await decided(server.api, 'approve', run, 1);
    const same = `thread_pk, run_no, attempt, digest, thread_id, trace_id, agent_id, features, kind, tool_calls, status,
      decisions, verb, decided_by, decided_through, decided_at, created_at`;
    await server.app.get(Database, { strict: false }).transaction((session) =>
      session.execute(
        `WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < 99)
         INSERT INTO approval(${same}, step_index, seq, changed_at)
         SELECT ${same}, n + 2, n + 1000, changed_at + n FROM approval, numbers WHERE agent_id = '${agent}'`,
      ),
    );
    // Independent of this machine's speed.
    const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    try {
      const { totals, is_partial: isPartial } = await rehearsed(rule(agent));
      expect([totals.approved!.calls, isPartial]).toEqual([10_000, true]);
      await makeRule(server.api, rule(agent));
    } finally {
      clock.mockRestore();
    }
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
    expect(await statusOf(await openedBy(server.api, agent))).toBe('rejected');
  });

  it('are looked up once for all openings of a transaction', async () => {
    await makeRule(server.api, allowing(newAgent()));
    const agent = newAgent();
    const statementsOf = journalStatements(server);
    const { asked } = await statementsOf(() =>
      Promise.all(Array.from({ length: 30 }, () => openedBy(server.api, agent))),
    );
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
    const run = await openedBy(server.api, newAgent());
    for (const name of ['rule:1', ' Rule :1', 'ｒｕｌｅ：1', 'ru\u200ble:1']) {
      const problem = problemOf(await decide(server.api, 'approve', run, 1, { decided_by: name }), 400);
      expect(problem.errors).toMatchObject([{ path: 'decided_by' }]);
      const code = problemOf(await server.api.post('/v1/console/codes', { name }), 400);
      expect(code.errors).toMatchObject([{ path: 'name' }]);
    }
    expect(await statusOf(run)).toBe('pending');
  });

  it('and time decide through names that no token has', async () => {
    for (const name of ['default', 'rule', 'expiry', 'console', 'channel', ' Default', 'ｒｕｌｅ', 'ru\u200ble']) {
      const problem = problemOf(await server.api.post('/v1/tokens', { scope: 'approver', name }), 400);
      expect(problem.errors).toMatchObject([{ path: 'name' }]);
    }
    for (const name of ['default', 'rule']) {
      const minted = await server.api.post('/v1/tokens', { scope: 'approver', name: `${name}s` });
      const { id, token } = minted.json<{ id: string; token: string }>();
      // A name that an earlier version accepted.
      const sql = `UPDATE access_token SET name = '${name}' WHERE id = '${id}'`;
      await server.app.get(Database, { strict: false }).transaction((session) => session.query(sql));
      const run = await openedBy(server.api, newAgent());
      const record = await decided(server.api.as(token), 'approve', run, 1);
      expect(record).toMatchObject({ decided_through: `token ${name}`, rule_id: null });
    }
  });

  it('have 16 KiB, 30 conditions and 100 values, and not one more', async () => {
    const values = (count: number) => Array.from({ length: count }, (_, n) => `value ${n}`);
    const conditions = (count: number) => values(count).map((name) => ({ path: `/${name}`, any: true }));
    const make = (more: Record<string, unknown>) => server.api.post(RULES, ruleFor('deny', newAgent(), more));
    const cases: [Record<string, unknown>, Record<string, unknown>, string][] = [
      [{ where: conditions(30) }, { where: conditions(31) }, 'where'],
      [
        { where: [{ path: '/a', one_of: values(100) }] },
        { where: [{ path: '/a', one_of: values(101) }] },
        'where[0].one_of',
      ],
    ];
    for (const [good, bad, path] of cases) {
      expect((await make(good)).status).toBe(201);
      expect(problemOf(await make(bad), 400).errors).toMatchObject([{ path }]);
    }
    const sized = (length: number) => {
      const absent = { other: 'none', folder: null, limits: null, expires_at: null };
      const rule = {
        effect: 'deny',
        agents: ['a'],
        tools: ['b'],
        where: [{ path: '/a', equals: '' }],
        ...absent,
        note: 'c',
      };
      const rest = length - JSON.stringify(rule).length;
      return { ...rule, where: [{ path: '/a', equals: 'x'.repeat(rest) }] };
    };
    await revoke(server.api, (await makeRule(server.api, sized(16 * 1024))).id);
    expect(problemOf(await server.api.post(RULES, sized(16 * 1024 + 1)), 400).errors).toMatchObject([{ path: 'body' }]);
  });

  it('approve for a tool of that name alone', async () => {
    const agent = newAgent();
    await makeRule(server.api, allowing(agent));
    const run = await openedBy(server.api, agent);
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
    expect(await statusOf(await openedBy(server.api, agent))).toBe('pending');
    await revoke(server.api, id);
    expect(await statusOf(await openedBy(server.api, agent))).toBe('approved');
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
