import { randomUUID } from 'node:crypto';
import { newRun } from '../../factories/waiting.js';
import { decided } from '../../support/approvals.js';
import { cpuMsOfProcess } from '../../support/cpu-time.js';
import { peakMegabytes, resetPeak } from '../../support/peak-memory.js';
import { ok, record } from '../../support/recording.js';
import { allowing, opening, RULES } from '../../support/rules.js';
import { changeStored } from '../../support/storage.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

interface Rehearsed {
  items: unknown[];
  totals: Record<string, { calls: number; ruled: number }>;
  disagreements: number;
  is_partial: boolean;
}

const PER_DAY = 3_000;
const WHERE = [
  { path: '/text', any: true },
  { path: '/amount', min: 0, max: 49 },
];

const server = useServer();
/** The status and the amount of the nth call. */
const STATUSES = ['approved', 'approved', 'approved', 'rejected', 'expired'] as const;
const amountOf = (n: number) => Math.floor(n / 5) % 100;

/** Multiplies an agent's approved call directly in the storage: opening and deciding each would take minutes. */
async function fill(calls: number, characters: number): Promise<string> {
  const [agent, run] = [`agent-${randomUUID()}`, newRun('rehearsal')];
  await record(server.api, opening(agent, run, { text: 'x'.repeat(characters), amount: -1 }));
  await decided(server.api, 'approve', run, 1);
  await server.process.stop();
  const same = `thread_pk, run_no, attempt, digest, thread_id, trace_id, agent_id, features, kind,
    decisions, verb, decided_by, decided_through, decided_at`;
  const status = `CASE n % 5 ${STATUSES.map((one, n) => `WHEN ${n} THEN '${one}'`).join(' ')} END`;
  await changeStored(
    server.storage,
    `WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${calls - 1})
     INSERT INTO approval(${same}, step_index, seq, status, tool_calls, created_at, changed_at)
     SELECT ${same}, n + 2, n + 1000, ${status},
       replace(tool_calls, '-1}', CAST(n / 5 % 100 AS TEXT) || '}'), created_at + n, changed_at + n
     FROM approval, numbers WHERE agent_id = '${agent}'`,
  );
  await changeStored(server.storage, `DELETE FROM approval WHERE agent_id = '${agent}' AND step_index = 1`);
  await server.restart();
  return agent;
}

async function rehearsed(agent: string): Promise<Rehearsed> {
  const limits = { per_day: PER_DAY, sum: { path: '/amount', per_day: 1_000_000 } };
  const rule = allowing(agent, { where: WHERE, limits });
  return ok(await server.api.post(`${RULES}/rehearse`, { rule })).json<Rehearsed>();
}

function expectedTotals(calls: number) {
  const totals = Object.fromEntries(STATUSES.map((status) => [status, { calls: 0, ruled: 0 }]));
  let room = PER_DAY;
  for (let n = 0; n < calls; n++) {
    const total = totals[STATUSES[n % 5]!]!;
    total.calls += 1;
    if (amountOf(n) > 49 || room === 0) continue;
    total.ruled += 1;
    room -= 1;
  }
  return totals;
}

describe('A rehearsal', () => {
  it('looks at 10,000 calls within its time', async () => {
    const agent = await fill(10_000, 1_000);
    let cpuMs = 0;
    // Its 5 seconds are elapsed time, so it may end early beside other tests.
    const found = await waitFor(
      'a rehearsal that has seen all',
      async () => {
        let result: Rehearsed | undefined;
        cpuMs = await cpuMsOfProcess(server.process.pid, async () => {
          result = await rehearsed(agent);
        });
        return !result!.is_partial && result;
      },
      300_000,
    );
    const totals = expectedTotals(10_000);
    expect(found).toMatchObject({ totals, disagreements: totals.rejected!.ruled });
    expect(found.items).toHaveLength(200);
    expect(cpuMs).toBeLessThan(5_000);
  }, 600_000);

  it('holds no more than one long approval at a time', async () => {
    const agent = await fill(300, 500_000);
    const { pid } = server.process;
    const before = resetPeak(pid);
    const { totals, is_partial: isPartial } = await rehearsed(agent);
    if (!isPartial) expect(totals).toMatchObject(expectedTotals(300));
    // All at once would be 450 MB: each one is kept with its calls and their arguments.
    expect(peakMegabytes(pid) - before).toBeLessThan(250);
  });
});
