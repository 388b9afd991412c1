import { randomUUID } from 'node:crypto';
import { Database } from '../../../src/database/database.js';
import { RuleUsesRetentionService } from '../../../src/modules/approvals/rules/rule-uses-retention.service.js';
import type { RunIds } from '../../factories/waiting.js';
import { approvalOf } from '../../support/approvals.js';
import { useClockedApp } from '../../support/clocked-app.js';
import { ok, threadPath } from '../../support/recording.js';
import { allowing, approvedBy, makeRule, openedBy, ruleOf, RULES, type RuleRecord } from '../../support/rules.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const server = useClockedApp();

const newAgent = () => `agent-${randomUUID()}`;
const statusOf = async (run: RunIds) => (await approvalOf(server.api, run, 1)).status;
const openedStatus = async (agent: string) => statusOf(await openedBy(server.api, agent));

async function idsOf(status: string): Promise<string[]> {
  const { items } = ok(await server.api.get(`${RULES}?limit=200&status=${status}`)).json<{ items: RuleRecord[] }>();
  return items.map(({ id }) => id);
}

/** Removes old uses, as the server does every ten minutes; does nothing just after its clock has jumped. */
async function sweep(): Promise<void> {
  const service = server.app.get(RuleUsesRetentionService, { strict: false });
  for (let round = 0; round < 2; round++) await service['sweep']();
}

async function useCount(ruleId: string): Promise<number> {
  const sql = 'SELECT COUNT(*) AS total FROM approval_rule_use WHERE rule_id = $1';
  const [row] = await server.app.get(Database, { strict: false }).read<{ total: number }>(sql, [ruleId]);
  return Number(row!.total);
}

describe('An allow', () => {
  it('ends after 90 days, decides nothing more, and is listed among those that ended', async () => {
    const agent = newAgent();
    const rule = await makeRule(server.api, allowing(agent));
    expect(Date.parse(String(rule.expires_at)) - Date.parse(String(rule.created_at))).toBe(90 * DAY_MS);
    await server.later(90 * DAY_MS - MINUTE_MS, async () => expect(await openedStatus(agent)).toBe('approved'));
    await server.later(90 * DAY_MS, async () => {
      expect(await openedStatus(agent)).toBe('pending');
      expect(await ruleOf(server.api, rule.id)).toMatchObject({ status: 'expired', uses: 1, revoked_at: null });
      const [active, ended] = [await idsOf('active'), await idsOf('ended')];
      expect([active.includes(rule.id), ended.includes(rule.id)]).toEqual([false, true]);
    });
  });

  it('ends when it says', async () => {
    const agent = newAgent();
    const expiresAt = new Date(server.clock.nowMs() + 10 * MINUTE_MS).toISOString();
    const rule = await makeRule(server.api, allowing(agent, { expires_at: expiresAt }));
    expect(rule.expires_at).toBe(expiresAt);
    expect(await openedStatus(agent)).toBe('approved');
    await server.later(10 * MINUTE_MS, async () => expect(await openedStatus(agent)).toBe('pending'));
  });
});

describe('What an allow has used', () => {
  it('counts for 24 hours, whatever threads are deleted', async () => {
    const agent = newAgent();
    const rule = await makeRule(server.api, allowing(agent, { limits: { per_day: 1 } }));
    const run = await openedBy(server.api, agent);
    expect(await statusOf(run)).toBe('approved');
    expect((await server.api.delete(threadPath(run.threadId))).status).toBe(204);
    expect(await openedStatus(agent)).toBe('pending');
    await server.later(DAY_MS - MINUTE_MS, async () => {
      await sweep();
      expect(await openedStatus(agent)).toBe('pending');
    });
    expect(await ruleOf(server.api, rule.id)).toMatchObject({ uses: 1 });
    await server.later(DAY_MS + MINUTE_MS, async () => expect(await openedStatus(agent)).toBe('approved'));
  });

  it('counts the same after those that are older were removed', async () => {
    const agent = newAgent();
    const rule = await makeRule(server.api, allowing(agent, { limits: { per_day: 2 } }));
    const old = await openedBy(server.api, agent);
    await server.later(20 * HOUR_MS, async () => {
      expect(await openedStatus(agent)).toBe('approved');
      expect(await openedStatus(agent)).toBe('pending');
    });
    expect((await server.api.delete(threadPath(old.threadId))).status).toBe(204);
    await server.later(26 * HOUR_MS, async () => {
      await sweep();
      expect(await useCount(rule.id)).toBe(1);
      expect([await openedStatus(agent), await openedStatus(agent)]).toEqual(['approved', 'pending']);
    });
    expect(await ruleOf(server.api, rule.id)).toMatchObject({ uses: 3 });
  });

  it('counts from now on where a clock that was ahead has dated it later', async () => {
    const agent = newAgent();
    await makeRule(server.api, allowing(agent, { limits: { per_day: 1 } }));
    await server.later(10 * DAY_MS, async () => expect(await openedStatus(agent)).toBe('approved'));
    expect(await openedStatus(agent)).toBe('pending');
    await sweep();
    await server.later(DAY_MS - MINUTE_MS, async () => expect(await openedStatus(agent)).toBe('pending'));
    await server.later(DAY_MS + MINUTE_MS, async () => expect(await openedStatus(agent)).toBe('approved'));
  });
});

it('A rehearsal looks at what people decided since a time', async () => {
  const agent = newAgent();
  const rule = allowing(agent, { where: [{ path: '/n', min: 0 }] });
  const seen = async (since: string | null) => {
    const answer = ok(await server.api.post(`${RULES}/rehearse`, { rule, since }));
    const { items, totals } = answer.json<{ items: { args: { n: number } }[]; totals: { approved: object } }>();
    return [items.map(({ args }) => args.n).toSorted(), totals.approved];
  };
  await approvedBy(server.api, agent, { n: 1 });
  await server.later(HOUR_MS, async () => {
    const [run] = await approvedBy(server.api, agent, { n: 2 });
    const since = (await approvalOf(server.api, run!, 1)).decided_at!;
    expect(await seen(null)).toEqual([[1, 2], { calls: 2, ruled: 2 }]);
    expect(await seen(since)).toEqual([[2], { calls: 1, ruled: 1 }]);
    expect(await seen(new Date(Date.parse(since) + 1).toISOString())).toEqual([[], { calls: 0, ruled: 0 }]);
  });
});
