import { completed, type RunnerEvent } from '../factories/events.js';
import { MAIL, newRun, waiting, working, type RunIds } from '../factories/waiting.js';
import type { Answer, ApiClient } from './api-client.js';
import { approvalOf, decide, pendingCountOf, recordIn, type Approval } from './approvals.js';
import { EVENTS, latestOf, ok, record } from './recording.js';

const DECIDERS = 8;

/** Many people decide the same approval at the same moment, through these servers in turn: exactly one wins. */
export async function raceOfDecisions(servers: readonly ApiClient[]): Promise<void> {
  const run = newRun('race');
  await record(servers[0]!, working(run, 0), waiting(run, 1));
  const orders = Array.from({ length: DECIDERS }, (_, n) => ({
    verb: n % 3 === 0 ? ('reject' as const) : ('approve' as const),
    decider: `person ${n}`,
  }));
  const answers = await Promise.all(
    orders.map(({ verb, decider }, n) =>
      decide(servers[n % servers.length]!, verb, run, 1, { decided_by: decider, reason: verb }),
    ),
  );
  for (const server of servers) {
    const winner = await approvalOf(server, run, 1);
    expect(orders).toContainEqual({ verb: winner.reason, decider: winner.decided_by });
    expect(answers.map((answer) => outcomeOf(answer))).toEqual(
      orders.map(({ verb }) => (verb === winner.reason ? winner : 'approval_closed')),
    );
    const { status, approval } = await latestOf(server, run.threadId);
    expect([status, approval]).toEqual([
      winner.status,
      expect.objectContaining({ status: winner.status, decided_by: winner.decided_by }),
    ]);
  }
}

function outcomeOf(answer: Answer): unknown {
  return answer.status === 200 ? recordIn(answer) : (answer.json().code ?? answer.status);
}

/** What an agent may report at the moment somebody decides. */
export const REPORTS: readonly [string, (run: RunIds) => RunnerEvent[]][] = [
  ['a later step', (run) => [working(run, 2)]],
  ['changed calls', (run) => [waiting(run, 1, { pending_tool_calls: [MAIL] })]],
  ['the same calls with other figures', (run) => [waiting(run, 1, { tokens_used: 9 })]],
  ['the same report again', (run) => [waiting(run, 1)]],
  ['its end', (run) => [completed(run.threadId, { trace_id: run.traceId })]],
];

/** Somebody decides while the agent reports, through different servers if there are two: whoever was first, all agree. */
export async function raceWithReport(
  [one, other]: readonly [ApiClient, ApiClient],
  reportOf: (run: RunIds) => RunnerEvent[],
): Promise<void> {
  const run = newRun('race');
  await record(one, working(run, 0), waiting(run, 1));
  const { digest } = await approvalOf(one, run, 1);
  const report = { events: reportOf(run) };
  const [answer] = await Promise.all([
    decide(one, 'approve', run, 1, { digest }),
    other.post(EVENTS, report).then((posted) => ok(posted)),
  ]);
  const approval = (await approvalsAt(other, run)).find((found) => found.digest === digest)!;
  expect([answer.status, approval.status]).toEqual(
    answer.status === 200 ? [200, 'approved'] : [409, expect.stringMatching(/^(superseded|pending)$/)],
  );
  if (answer.status === 200) expect(recordIn(answer)).toEqual(approval);
  await pendingCountOf(other, run.threadId);
  await expectAgreement(other, run);
}

async function approvalsAt(api: ApiClient, { threadId }: RunIds): Promise<Approval[]> {
  return ok(await api.get(`/approvals?status=all&thread_id=${threadId}`)).json<{ items: Approval[] }>().items;
}

/** The thread waits if and only if there is something to decide. */
async function expectAgreement(api: ApiClient, run: RunIds): Promise<void> {
  const { pending_tool_calls: calls, approval, status } = await latestOf(api, run.threadId);
  const isWaiting = (calls as unknown[]).length > 0 && approval === null && status !== 'completed';
  const pending = (await approvalsAt(api, run)).filter((found) => found.status === 'pending');
  expect(pending).toHaveLength(isWaiting ? 1 : 0);
}
