import { newRun, waiting, working, type RunIds } from '../../factories/waiting.js';
import { approvalOf, approvalPath, decide, decided, pendingCountOf, type Verb } from '../../support/approvals.js';
import { latestOf, record } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const ROUNDS = 3;
const LIMIT_MS = 120_000;
const DECIDERS = 40;

const server = useServer();

describe('kill -9 of the server', () => {
  it(
    'between the decision and the next poll loses nothing',
    async () => {
      const decisions = [];
      for (const [verb, status] of [
        ['approve', 'approved'],
        ['reject', 'rejected'],
      ] as const) {
        const run = newRun();
        await record(server.api, working(run, 0), waiting(run, 1));
        const approval = await decided(server.api, verb, run, 1, { decided_by: 'ada', reason: 'seen' });
        decisions.push({ run, verb, status, approval });
      }
      await server.process.kill();
      await server.restart();
      for (const { run, verb, status, approval } of decisions) {
        expect(await latestOf(server.api, run.threadId)).toMatchObject({ status, approval: { decided_by: 'ada' } });
        expect(await approvalOf(server.api, run, 1)).toEqual(approval);
        expect(await decided(server.api, verb, run, 1)).toEqual(approval);
        await record(server.api, waiting(run, 1));
        expect((await latestOf(server.api, run.threadId)).status).toBe(status);
      }
    },
    LIMIT_MS,
  );

  it(
    'amid many decisions keeps every one that was answered, and each of the others whole or not at all',
    async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const runs = Array.from({ length: DECIDERS }, () => newRun('crash'));
        await record(server.api, ...runs.map((run) => waiting(run, 1)));
        const answered = new Map<RunIds, Verb>();
        const deciding = runs.map(async (run, n) => {
          const verb = n % 2 === 0 ? 'approve' : 'reject';
          const answer = await decide(server.api, verb, run, 1).catch(() => undefined);
          if (answer?.status === 200) answered.set(run, verb);
        });
        await waitFor('the first answers', () => answered.size > 4 * round);
        await server.process.kill();
        await Promise.all(deciding);
        await server.restart();
        for (const run of runs) await expectWhole(run, answered.get(run));
      }
    },
    LIMIT_MS,
  );

  async function expectWhole(run: RunIds, verb: Verb | undefined): Promise<void> {
    const { status } = await approvalOf(server.api, run, 1);
    if (verb) expect(status).toBe(verb === 'approve' ? 'approved' : 'rejected');
    const isPending = status === 'pending';
    expect((await latestOf(server.api, run.threadId)).status).toBe(isPending ? 'waiting_for_approval' : status);
    expect(await pendingCountOf(server.api, run.threadId)).toBe(Number(isPending));
    if (isPending) expect((await server.api.post(approvalPath(run.traceId, 1, '/approve'))).status).toBe(200);
  }
});
