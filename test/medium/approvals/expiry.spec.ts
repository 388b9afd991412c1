import { newRun, waiting, working } from '../../factories/waiting.js';
import { approvalOf, decide, decided, pendingCountOf, statusesOf } from '../../support/approvals.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { problemOf } from '../../support/problem.js';
import { latestOf, record } from '../../support/recording.js';
import { waitFor } from '../../support/wait.js';

describe('The expiry of an approval, with a clock of its own', () => {
  let nowMs = Date.UTC(2026, 0, 1);
  let app: InProcessApp;

  beforeAll(async () => {
    app = await startApp({ clock: { nowMs: () => nowMs } });
  });
  afterAll(() => app.stop());

  it('a decision in the very moment of the expiry, or after it, comes too late', async () => {
    for (const lateMs of [0, 1, 3_600_000]) {
      const run = newRun();
      await record(app.api, waiting(run, 1, { approval_timeout_seconds: 60 }));
      nowMs += 60_000 + lateMs;
      expect(problemOf(await decide(app.api, 'approve', run, 1), 409)).toMatchObject({
        code: 'approval_closed',
        approval: { status: 'expired' },
      });
      expect(await approvalOf(app.api, run, 1)).toMatchObject({ status: 'expired', decided_through: 'expiry' });
      expect(await latestOf(app.api, run.threadId)).toMatchObject({ status: 'rejected' });
      expect(await pendingCountOf(app.api, run.threadId)).toBe(0);
    }
  });

  it('a decision a millisecond before is in time', async () => {
    const run = newRun();
    await record(app.api, waiting(run, 1, { approval_timeout_seconds: 60 }));
    nowMs += 59_999;
    expect((await decided(app.api, 'approve', run, 1)).status).toBe('approved');
    nowMs += 3_600_000;
    expect((await decided(app.api, 'approve', run, 1)).status).toBe('approved');
  });

  /** Lets everything reported so far become due, and waits for the next sweep. */
  async function untilSwept(): Promise<void> {
    const last = newRun();
    await record(app.api, waiting(last, 1, { approval_timeout_seconds: 60 }));
    nowMs += 60_000;
    await waitFor('the look', async () => (await approvalOf(app.api, last, 1)).status === 'expired');
  }

  it('what was decided before keeps its decision', async () => {
    const run = newRun();
    await record(app.api, waiting(run, 1, { approval_timeout_seconds: 60 }));
    const approved = await decided(app.api, 'approve', run, 1);
    await untilSwept();
    expect(await approvalOf(app.api, run, 1)).toEqual(approved);
    expect((await latestOf(app.api, run.threadId)).status).toBe('approved');
  });

  it('what was superseded before stays so', async () => {
    const run = newRun();
    await record(app.api, waiting(run, 1, { approval_timeout_seconds: 60 }), working(run, 2));
    await untilSwept();
    expect(await statusesOf(app.api, run.threadId)).toEqual(['1 superseded']);
    expect(await latestOf(app.api, run.threadId)).toMatchObject({ step_index: 2, status: 'in_progress' });
  });

  it('no span is too long', async () => {
    for (const seconds of [1e9, 1e15, 1e300]) {
      const run = newRun();
      await record(app.api, waiting(run, 1, { approval_timeout_seconds: seconds }));
      const { status, expires_at } = await approvalOf(app.api, run, 1);
      expect([status, Date.parse(expires_at!)]).toEqual(['pending', expect.any(Number)]);
    }
  });
});
