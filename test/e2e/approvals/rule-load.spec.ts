import { randomUUID } from 'node:crypto';
import { ADVISORY_LOCKS } from '../../../src/database/advisory-locks.js';
import type { RunnerEvent } from '../../factories/events.js';
import { newRun, type RunIds } from '../../factories/waiting.js';
import type { ApiClient } from '../../support/api-client.js';
import { approvalList, approvalOf, type Approval } from '../../support/approvals.js';
import { testDialect } from '../../support/dialect.js';
import { EVENTS, latestPath, record } from '../../support/recording.js';
import { allowing, makeRule, opening, revoke, ruleFor, ruleOf } from '../../support/rules.js';
import { ServerProcess } from '../../support/server-process.js';
import { siblingHome, withPostgres } from '../../support/storage.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

/** SQLite belongs to one server. */
const SERVERS = testDialect() === 'postgres' ? 3 : 1;
const OPENINGS = Number(process.env.WAYSTATION_TEST_RULE_OPENINGS ?? 300);
const AT_ONCE = 48;
const ROUNDS = 3;

const siblings: ServerProcess[] = [];
// Before the shared storage is removed.
afterAll(() => Promise.all(siblings.map((server) => server.stop())));
const first = useServer();
let apis: ApiClient[];
/** Responses of a server that waited for others in vain: its agents report again. */
let busy = 0;

beforeAll(async () => {
  for (let at = 1; at < SERVERS; at++) {
    const env = { WAYSTATION_HOME: await siblingHome(first.storage) };
    siblings.push(await ServerProcess.start(first.storage, { env }));
  }
  apis = [first, ...siblings].map(({ api }) => api);
});

const newAgent = () => `agent-${randomUUID()}`;
const serverOf = (n: number) => apis[n % apis.length]!;

async function report(api: ApiClient, event: RunnerEvent): Promise<void> {
  await waitFor('an answer other than 503', async () => {
    const { status, text } = await api.post(EVENTS, { events: [event] });
    if (status === 503) busy += 1;
    else expect([status, text]).toEqual([200, expect.stringContaining('"rejected":[]')]);
    return status === 200;
  });
}

/** Runs the work for each number below the count, in order, this many at once. */
async function inParallel(count: number, work: (n: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** Every tenth opening is reported through two servers at once, as by an agent that missed the response. */
async function openAll(agent: string, argsOf: (n: number) => readonly object[]): Promise<Approval[]> {
  const runs = Array.from({ length: OPENINGS / 2 }, () => newRun('load'));
  await inParallel(runs.length, async (n) => {
    const event = opening(agent, runs[n]!, ...argsOf(n));
    await Promise.all(Array.from({ length: n % 10 === 0 ? 2 : 1 }, (_, again) => report(serverOf(n + again), event)));
  });
  const approvals = await approvalList(serverOf(1), { agent_id: agent, status: 'all', limit: '200' });
  expect(approvals.map(({ thread_id }) => thread_id).toSorted()).toEqual(runs.map((run) => run.threadId).toSorted());
  return approvals;
}

/** What the rule allowed, and what it left to people, both measured. */
function parts(approvals: readonly Approval[], rule: string, measure: (approval: Approval) => number) {
  const measures = (status: string) => approvals.filter((one) => one.status === status).map(measure);
  const [approved, pending] = [measures('approved'), measures('pending')];
  expect(approved.length + pending.length).toBe(approvals.length);
  for (const { status, rule_id } of approvals) expect(rule_id).toBe(status === 'approved' ? rule : null);
  return { used: approved.reduce((sum, one) => sum + one, 0), pending };
}

it(`${OPENINGS} openings on ${SERVERS} servers use limits up exactly, and none beyond`, async () => {
  const [counted, summed] = [newAgent(), newAgent()];
  const [perDay, cents] = [Math.ceil(OPENINGS / 3), OPENINGS * 5];
  const count = await makeRule(first.api, allowing(counted, { limits: { per_day: perDay } }));
  const sum = await makeRule(
    first.api,
    allowing(summed, {
      where: [{ path: '/amount', min: 0.01 }],
      limits: { per_day: 10_000, sum: { path: '/amount', per_day: cents / 100 } },
    }),
  );
  const begunMs = Date.now();
  const [ofCounted, ofSummed] = await Promise.all([
    openAll(counted, (n) => Array.from({ length: 1 + (n % 3) }, () => ({ command: 'git status' }))),
    openAll(summed, (n) => [{ amount: (n % 3 === 0 ? 1 : 1 + ((n * 37) % 99)) / 100 }]),
  ]);
  const calls = parts(ofCounted, count.id, ({ tool_calls }) => tool_calls.length);
  const amounts = parts(ofSummed, sum.id, ({ tool_calls }) =>
    Math.round(100 * (tool_calls[0]!.args as { amount: number }).amount),
  );
  // Single calls and single cents were left to people, so the limits were fully used.
  expect([Math.min(...calls.pending), Math.min(...amounts.pending)]).toEqual([1, 1]);
  expect([calls.used, amounts.used]).toEqual([perDay, cents]);
  const approved = ofSummed.filter(({ status }) => status === 'approved').length;
  for (const api of apis)
    expect([(await ruleOf(api, count.id)).uses, (await ruleOf(api, sum.id)).uses]).toEqual([perDay, approved]);
  console.info(JSON.stringify({ openings: OPENINGS, servers: SERVERS, ms: Date.now() - begunMs, busy, approved }));
}, 3_600_000);

const CHANGES: readonly [string, (api: ApiClient, agent: string, allow: string) => Promise<string>][] = [
  [
    'the rule is revoked',
    async (api, _agent, allow) => {
      expect((await revoke(api, allow)).status).toBe(204);
      return 'pending';
    },
  ],
  [
    'another denies',
    async (api, agent) => {
      await makeRule(api, ruleFor('deny', agent));
      return 'rejected';
    },
  ],
];

describe('Under load, a rule decides nothing more on any server from the answer on by which', () => {
  it.each(CHANGES)('%s', async (_what, change) => {
    for (let round = 0; round < ROUNDS; round++) {
      const agent = newAgent();
      const { id } = await makeRule(first.api, allowing(agent, { limits: { per_day: 10_000 } }));
      const [before, after]: [RunIds[], RunIds[]] = [[], []];
      let [isChanged, answered] = [false, 0];
      const load = inParallel(10_000, async (n) => {
        if (after.length >= OPENINGS / 5) return;
        const run = newRun('load');
        (isChanged ? after : before).push(run);
        await report(serverOf(n), opening(agent, run));
        answered += 1;
      });
      await waitFor('openings to be answered', () => answered >= OPENINGS / 5);
      const outcome = await change(serverOf(round), agent, id);
      isChanged = true;
      const { uses } = await ruleOf(serverOf(round + 1), id);
      await load;
      const statusesOf = (runs: readonly RunIds[]) =>
        Promise.all(runs.map(async (run, n) => (await approvalOf(serverOf(n), run, 1)).status));
      expect(new Set(await statusesOf(after))).toEqual(new Set([outcome]));
      expect((await statusesOf(before)).filter((status) => status === 'approved')).toHaveLength(uses);
      expect((await ruleOf(serverOf(round), id)).uses).toBe(uses);
    }
  });
});

if (testDialect() === 'postgres') {
  it('What no rule decides is opened while a server that froze holds the lock of the rules', async () => {
    const agent = newAgent();
    await makeRule(first.api, allowing(agent));
    const runs = Array.from({ length: 10 }, () => ({ ruled: newRun('load'), other: newRun('load') }));
    await withPostgres(first.storage.databaseUrl!, async (client) => {
      await client.query(`BEGIN; SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.rules})`);
      const reported = runs.map(({ ruled, other }) => ({
        ruled: report(first.api, opening(agent, ruled)),
        other: record(first.api, opening('other', other)),
      }));
      await Promise.all(reported.map(({ other }) => other));
      expect((await first.api.get(latestPath(runs[0]!.ruled.threadId))).status).toBe(404);
      await client.query('COMMIT');
      await Promise.all(reported.map(({ ruled }) => ruled));
    });
    for (const { ruled } of runs) expect((await approvalOf(first.api, ruled, 1)).status).toBe('approved');
  });
}
