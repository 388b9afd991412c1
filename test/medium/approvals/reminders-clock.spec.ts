import { newRun, waiting, working } from '../../factories/waiting.js';
import { approvalOf, decided } from '../../support/approvals.js';
import { EventStream } from '../../support/event-stream.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { EVENTS, record } from '../../support/recording.js';
import { waitFor } from '../../support/wait.js';

describe('Reminders, with a clock of their own', () => {
  let nowMs = Date.UTC(2026, 0, 1);
  let app: InProcessApp;

  beforeAll(async () => {
    const env = { WAYSTATION_APPROVAL_REMIND_SECONDS: '60, 120' };
    app = await startApp({ clock: { nowMs: () => nowMs }, env });
  });
  afterAll(() => app.stop());

  const remindedOf = async (run: ReturnType<typeof newRun>) => (await approvalOf(app.api, run, 1)).reminded;

  it('come when the server or the checkpoint says, and are told', async () => {
    const [ours, own, never, closed, gone] = [newRun(), newRun(), newRun(), newRun(), newRun()];
    await record(app.api, waiting(ours, 1), waiting(own, 1, { approval_remind_seconds: [90, 100, 3600] }));
    await record(app.api, waiting(never, 1, { approval_remind_seconds: [] }), waiting(closed, 1));
    await record(app.api, waiting(gone, 1), working(gone, 2));
    await decided(app.api, 'approve', closed, 1);
    const stream = await EventStream.open(app.api, '/approvals/stream');
    nowMs += 60_000;
    await waitFor('the first', async () => (await remindedOf(ours)) === 1);
    await stream.until('its event', (seen) => seen.ofType('reminder').length === 1);
    expect(JSON.parse(stream.ofType('reminder')[0]!.data)).toMatchObject({ trace_id: ours.traceId, reminded: 1 });
    expect(await remindedOf(own)).toBe(0);
    // Two of its times have passed: they count as one reminder.
    nowMs += 3_000_000;
    await waitFor('the second', async () => (await remindedOf(own)) === 1);
    await waitFor('the second', async () => (await remindedOf(ours)) === 2);
    nowMs += 3_600_000;
    await waitFor('the last', async () => (await remindedOf(own)) === 2);
    expect(await Promise.all([never, closed, gone, ours].map(remindedOf))).toEqual([0, 0, 0, 2]);
    stream.close();
  });

  it.each([['60'], [[59]], [[60, 60]], [[120, 60]], [[2_592_001]], [[60.5]], [[60, 70, 80, 90, 100, 110]]])(
    'at %j are refused',
    async (approval_remind_seconds) => {
      const answer = await app.api.post(EVENTS, { events: [waiting(newRun(), 1, { approval_remind_seconds })] });
      expect([answer.status, JSON.stringify(answer.json())]).toEqual([
        400,
        expect.stringContaining('"events[0].data.approval_remind_seconds"'),
      ]);
    },
  );
});
