import { checkpoint, completed, newThreadId } from '../factories/events.js';
import { newRun, waiting } from '../factories/waiting.js';
import { SetClock } from '../fakes/set-clock.js';
import { approvalOf } from '../support/approvals.js';
import { startApp, type InProcessApp } from '../support/in-process-app.js';
import { checkpointsOf, latestOf, record } from '../support/recording.js';
import { waitFor } from '../support/wait.js';

const NOON = '2026-05-01T12:00:00.000Z';
const BEFORE = '2026-05-01T09:00:00.000Z';
const AFTER = '2026-05-03T12:00:00.000Z';

describe('A clock that jumps', () => {
  const clock = new SetClock(Date.parse(NOON));
  let running: InProcessApp;

  beforeAll(async () => {
    running = await startApp({ clock });
  });
  afterAll(() => running.stop());

  it('changes nothing in the order of what was reported', async () => {
    const threadId = newThreadId();
    for (const [step, time] of [NOON, BEFORE, AFTER, BEFORE].entries()) {
      clock.set(time);
      await record(running.api, checkpoint(threadId, step));
      expect(await latestOf(running.api, threadId)).toMatchObject({ step_index: step, updated_at: time });
    }
    expect((await checkpointsOf(running.api, threadId)).map((row) => row.step_index)).toEqual([0, 1, 2, 3]);
    await record(running.api, completed(threadId));
    expect((await latestOf(running.api, threadId)).status).toBe('completed');
  });

  it('forward past the time of an approval rejects it; back again does not open it', async () => {
    clock.set(NOON);
    const run = newRun();
    await record(running.api, waiting(run, 1, { approval_timeout_seconds: 3600 }));
    clock.set(BEFORE);
    expect((await approvalOf(running.api, run, 1)).status).toBe('pending');
    clock.set(AFTER);
    await waitFor('it to expire', async () => (await approvalOf(running.api, run, 1)).status === 'expired');
    clock.set(BEFORE);
    expect((await approvalOf(running.api, run, 1)).status).toBe('expired');
    expect((await latestOf(running.api, run.threadId)).status).toBe('rejected');
  });
});
