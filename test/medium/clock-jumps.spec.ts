import { checkpoint, completed, newThreadId } from '../factories/events.js';
import { newRun, waiting, type RunIds } from '../factories/waiting.js';
import { SetClock } from '../fakes/set-clock.js';
import { approvalOf, decided, type Approval } from '../support/approvals.js';
import { EventStream } from '../support/event-stream.js';
import { startApp, type InProcessApp } from '../support/in-process-app.js';
import { checkpointsOf, detailOf, latestOf, record } from '../support/recording.js';
import { waitFor } from '../support/wait.js';

const NOON = '2026-05-01T12:00:00.000Z';
const BEFORE = '2026-05-01T09:00:00.000Z';
const DAWN = '2026-05-01T06:00:00.000Z';
const AFTER = '2026-05-03T12:00:00.000Z';

function toldOf({ seen }: EventStream, { threadId }: RunIds): string[] {
  const told = seen.map(({ event, data }) => ({ event, ...(JSON.parse(data) as Approval) }));
  return told.filter(({ thread_id: id }) => id === threadId).map(({ event }) => event);
}

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

  it('back lets no thread last less than no time', async () => {
    const threadId = newThreadId();
    clock.set(NOON);
    await record(running.api, checkpoint(threadId, 0));
    clock.set(BEFORE);
    await record(running.api, checkpoint(threadId, 1));
    expect(await detailOf(running.api, threadId)).toMatchObject({ updated_at: BEFORE, duration_ms: 0 });
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

  it('back has the time of an approval that was opened before count from then', async () => {
    clock.set(AFTER);
    const [limited, endless] = [newRun(), newRun()];
    await record(running.api, waiting(limited, 1, { approval_timeout_seconds: 3600 }), waiting(endless, 1));
    clock.set(NOON);
    const { created_at, expires_at } = await waitFor('its time to be corrected', async () => {
      const approval = await approvalOf(running.api, limited, 1);
      return approval.created_at === AFTER ? undefined : approval;
    });
    expect([created_at, expires_at]).toEqual([NOON, '2026-05-01T13:00:00.000Z']);
    expect(await approvalOf(running.api, endless, 1)).toMatchObject({ created_at: AFTER, expires_at: null });
    clock.set('2026-05-01T13:00:01.000Z');
    await waitFor('it to expire', async () => (await approvalOf(running.api, limited, 1)).status === 'expired');
  });

  it('back hides no approval that opens or closes then from who follows them', async () => {
    const [old, mark, late] = [newRun(), newRun(), newRun()];
    clock.set(DAWN);
    await record(running.api, waiting(old, 1));
    clock.set(NOON);
    const stream = await EventStream.open(running.api, '/approvals/stream');
    await stream.until('the pending one', (told) => toldOf(told, old).length === 1);
    await record(running.api, waiting(mark, 1));
    await stream.until('the mark', (told) => toldOf(told, mark).length === 1);
    clock.set(BEFORE);
    await record(running.api, waiting(late, 1));
    await stream.until('what opened', (told) => toldOf(told, late).length === 1);
    for (const run of [late, old, mark]) {
      await decided(running.api, 'approve', run, 1);
      await stream.until('what closed', (told) => toldOf(told, run).at(-1) === 'closed');
    }
    clock.set(NOON);
    const next = newRun();
    await record(running.api, waiting(next, 1));
    await stream.until('what opened next', (told) => toldOf(told, next).length === 1);
    stream.close();
  });
});
