import { randomUUID } from 'node:crypto';
import { newRun, type RunIds } from '../../factories/waiting.js';
import { SetClock } from '../../fakes/set-clock.js';
import { approvalOf } from '../../support/approvals.js';
import type { ApiClient } from '../../support/api-client.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { allowing, makeRule, opening, revoke, ruleFor, ruleOf } from '../../support/rules.js';
import { siblingHome } from '../../support/storage.js';
import { waitFor } from '../../support/wait.js';

const OPENINGS = 200;

let first: InProcessApp;
/** SQLite belongs to one process, so the one server plays both parts. */
let second: InProcessApp;

beforeAll(async () => {
  first = await startApp();
  const { storage } = first;
  second =
    storage.dialect === 'postgres'
      ? await startApp({ storage, env: { WAYSTATION_HOME: await siblingHome(storage) } })
      : first;
});
afterAll(async () => {
  if (second !== first) await second.stop();
  await first.stop();
});

const newAgent = () => `agent-${randomUUID()}`;
const statusOf = async (run: RunIds) => (await approvalOf(first.api, run, 1)).status;

async function openedAt(api: ApiClient, agent: string, args?: object): Promise<RunIds> {
  const run = newRun();
  // A server that waits for the rules in vain responds 503, and its agents report again.
  const event = opening(agent, run, ...(args ? [args] : []));
  await waitFor('an answer other than 503', async () => {
    const { status } = await api.post('/v1/runners/events', { events: [event] });
    return status !== 503 && expect(status).toBe(200) === undefined;
  });
  return run;
}

describe('On all servers of one database', () => {
  it('the first rule counts from the answer on', async () => {
    const agent = newAgent();
    expect(await statusOf(await openedAt(second.api, agent))).toBe('pending');
    const allow = await makeRule(first.api, allowing(agent));
    expect(await statusOf(await openedAt(second.api, agent))).toBe('approved');
    await revoke(first.api, allow.id);
    expect(await statusOf(await openedAt(second.api, agent))).toBe('pending');
    const [, deny] = await Promise.all([
      makeRule(first.api, allowing(agent)),
      makeRule(first.api, ruleFor('deny', agent)),
    ]);
    expect(await approvalOf(first.api, await openedAt(second.api, agent), 1)).toMatchObject({ rule_id: deny.id });
  });

  it(`limits are exact under ${OPENINGS} openings at once`, async () => {
    const [counted, summed] = [newAgent(), newAgent()];
    const rules = [
      await makeRule(first.api, allowing(counted, { limits: { per_day: 77 } })),
      await makeRule(first.api, {
        ...allowing('any', { where: [{ path: '/amount', min: 0 }] }),
        ...{ agents: [summed, `${summed}-2`], limits: { per_day: 1000, sum: { path: '/amount', per_day: 5 } } },
      }),
    ];
    const openings = Array.from({ length: OPENINGS }, async (_, n) => {
      const { api } = n % 4 < 2 ? first : second;
      if (n % 2 === 0) return openedAt(api, counted);
      return openedAt(api, n % 3 === 0 ? summed : `${summed}-2`, { amount: 0.1 });
    });
    const runs = await Promise.all(openings);
    const statuses = await Promise.all(runs.map(statusOf));
    const approved = (odd: number) => statuses.filter((status, n) => n % 2 === odd && status === 'approved').length;
    expect([approved(0), approved(1)]).toEqual([77, 50]);
    expect(await Promise.all(rules.map(async ({ id }) => (await ruleOf(second.api, id)).uses))).toEqual([77, 50]);
  });

  it('nothing is decided by a rule once it is revoked, whatever is on its way', async () => {
    for (let round = 0; round < 3; round++) {
      const agent = newAgent();
      const rule = await makeRule(first.api, allowing(agent));
      const openings = Array.from({ length: 60 }, (_, n) => openedAt((n % 2 === 0 ? first : second).api, agent));
      await Promise.any(openings);
      expect((await revoke(second.api, rule.id)).status).toBe(204);
      const { uses } = await ruleOf(first.api, rule.id);
      const runs = [
        ...(await Promise.all(openings)),
        await openedAt(first.api, agent),
        await openedAt(second.api, agent),
      ];
      const statuses = await Promise.all(runs.map(statusOf));
      expect(statuses.filter((status) => status === 'approved')).toHaveLength(uses);
      expect(statuses.slice(-2)).toEqual(['pending', 'pending']);
      expect((await ruleOf(first.api, rule.id)).uses).toBe(uses);
    }
  });
});

it('A limit of 24 hours is no wider for a clock that jumps', async () => {
  const clock = new SetClock(Date.parse('2026-05-01T12:00:00Z'));
  const server = await startApp({ clock });
  try {
    const agent = newAgent();
    await makeRule(server.api, allowing(agent, { limits: { per_day: 2 } }));
    const at = async (time: string) => {
      clock.set(`2026-05-${time}:00Z`);
      const run = await openedAt(server.api, agent);
      return (await approvalOf(server.api, run, 1)).status;
    };
    expect([await at('01T12:00'), await at('01T09:00')]).toEqual(['approved', 'approved']);
    expect([await at('01T08:00'), await at('01T00:30'), await at('02T09:00'), await at('02T11:59')]).toEqual(
      Array(4).fill('pending'),
    );
    expect([await at('02T12:00'), await at('02T12:01'), await at('02T12:02')]).toEqual([
      'approved',
      'approved',
      'pending',
    ]);
  } finally {
    await server.stop();
  }
});
