import { setTimeout as pause } from 'node:timers/promises';
import { newRun, waiting, type RunIds } from '../../factories/waiting.js';
import { approvalOf, approvalPage, decide, pendingCountOf, statusesOf } from '../../support/approvals.js';
import { EventStream } from '../../support/event-stream.js';
import { problemOf } from '../../support/problem.js';
import { latestOf, latestPath, record } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const server = useServer({ env: { WAYSTATION_APPROVAL_TIMEOUT_SECONDS: '2' } });

describe('An approval whose time is up', () => {
  it('is expired on the record and rejected for the agent that waits, never approved', async () => {
    const run = newRun();
    const stream = await EventStream.open(server.api, '/approvals/stream');
    await record(server.api, waiting(run, 1, { approval_timeout_seconds: 3 }));
    const { created_at, expires_at } = await approvalOf(server.api, run, 1);
    expect(Date.parse(expires_at!) - Date.parse(created_at)).toBe(3000);
    const now = await server.api.get(latestPath(run.threadId));
    const after = { headers: { 'if-none-match': String(now.headers.etag) } };
    // On a machine that stalled, it may have expired already.
    const isOver = now.json().status === 'rejected';
    const held = isOver ? now : await server.api.get(latestPath(run.threadId, { wait: '60' }), after);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expires_at!));
    expect(Date.now()).toBeLessThan(Date.parse(expires_at!) + 30_000);
    expect(held.json()).toMatchObject({
      status: 'rejected',
      pending_tool_calls: [],
      approval: { status: 'expired', decided_by: null, reason: expect.stringContaining('in time') },
    });
    const approval = await approvalOf(server.api, run, 1);
    expect(approval).toMatchObject({ status: 'expired', decided_through: 'expiry', decided_by: null });
    expect(Date.parse(approval.decided_at!)).toBeGreaterThanOrEqual(Date.parse(expires_at!));
    expect(approval.tool_calls.map(({ decision }) => decision)).toEqual([null]);
    expect(await pendingCountOf(server.api, run.threadId)).toBe(0);
    await stream.until('the closing', (told) => told.ofType('closed').some(({ data }) => data.includes(run.threadId)));
    stream.close();
    for (const verb of ['approve', 'reject'] as const) {
      expect(problemOf(await decide(server.api, verb, run, 1), 409).code).toBe('approval_closed');
    }
  });

  it('stays expired when the same calls are reported again', async () => {
    const run = newRun();
    await record(server.api, waiting(run, 1, { approval_timeout_seconds: 0.001 }));
    await waitFor('the expiry', async () => (await approvalOf(server.api, run, 1)).status === 'expired');
    await record(server.api, waiting(run, 1, { approval_timeout_seconds: 0.001 }));
    await record(server.api, waiting(run, 1, { approval_timeout_seconds: 3600 }));
    expect(await statusesOf(server.api, run.threadId)).toEqual(['1 expired']);
    expect(await latestOf(server.api, run.threadId)).toMatchObject({ status: 'rejected', pending_tool_calls: [] });
  });

  it('is the server’s time where the agent names none', async () => {
    const [own, without, endless] = [newRun(), newRun(), newRun()];
    await record(server.api, waiting(own, 1, { approval_timeout_seconds: 3600 }));
    await record(server.api, waiting(without, 1, { approval_timeout_seconds: null }));
    await record(server.api, waiting(endless, 1, { approval_timeout_seconds: 0 }));
    const { created_at, expires_at } = await approvalOf(server.api, without, 1);
    expect(Date.parse(expires_at!) - Date.parse(created_at)).toBe(2000);
    expect((await approvalOf(server.api, endless, 1)).expires_at).toBeNull();
    await waitFor('the expiry', async () => (await latestOf(server.api, without.threadId)).status === 'rejected');
    for (const run of [own, endless]) expect(await pendingCountOf(server.api, run.threadId)).toBe(1);
  });

  it('in the moment of a decision is either decided in time or expired', async () => {
    const runs = Array.from({ length: 120 }, () => newRun());
    const fields = { approval_timeout_seconds: 0.5 };
    await record(server.api, ...runs.map((run) => waiting(run, 1, fields)));
    const { expires_at } = await approvalOf(server.api, runs[0]!, 1);
    const endMs = Date.parse(expires_at!);
    const decideAt = async (run: RunIds, ms: number) => {
      await pause(Math.max(0, ms - Date.now()));
      return decide(server.api, 'approve', run, 1);
    };
    const answers = await Promise.all(runs.map((run, n) => decideAt(run, endMs - 60 + n)));
    for (const [n, run] of runs.entries()) {
      const { status, decided_at } = await approvalOf(server.api, run, 1);
      expect([answers[n]!.status, status]).toEqual(
        Date.parse(decided_at!) < endMs ? [200, 'approved'] : [409, 'expired'],
      );
      expect((await latestOf(server.api, run.threadId)).status).toBe(status === 'approved' ? 'approved' : 'rejected');
    }
  });

  it('while no server was there expires as soon as one is', async () => {
    const runs = Array.from({ length: 250 }, () => newRun());
    const fields = { agent_id: 'away', approval_timeout_seconds: 0.5 };
    await record(server.api, ...runs.map((run) => waiting(run, 1, fields)));
    await server.process.kill();
    const killedMs = Date.now();
    await waitFor('their time', () => Date.now() > killedMs + 600);
    await server.restart();
    await waitFor('the last of them', async () => {
      const { total } = await approvalPage(server.api, { agent_id: 'away', limit: '1', count: 'true' });
      return total === 0;
    });
    for (const run of runs.slice(0, 20)) {
      expect(await latestOf(server.api, run.threadId)).toMatchObject({ status: 'rejected' });
    }
  });
});
