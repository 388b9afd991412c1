import { EventStream } from '../support/event-stream.mjs';
import { waitingEvent, checkpointText } from '../support/events.mjs';
import { FakeClock, NO_FAKE_CLOCK } from '../support/fake-clock.mjs';
import { Reporters, whileReporting } from '../support/reporters.mjs';
import { until } from '../support/until.mjs';

const JUMPS = ['-1h', '+2h', '-3d', '+0'];

/** @type {import('./scenario.mjs').Scenario} */
export const clock = {
  name: 'clock',
  title: 'the clock of the machine jumps back and forth while agents report',
  databases: ['sqlite', 'postgres'],
  shortOn: ['sqlite'],
  run,
};

async function run(stage) {
  const promised = 'Order and content do not depend on the clock.';
  const fake = FakeClock.open(stage);
  if (fake === null) return stage.notTried(promised, NO_FAKE_CLOCK);
  const others = stage.instances - 1;
  const ofOne = others > 0 ? ` of one server, the clocks of ${others} others go right;` : '';
  stage.tried(`jumps by ${JUMPS.join(', ')}${ofOne} 8 agents report and a stream is open`);
  const server = await stage.startServer({ ...fake.env, WAYSTATION_LOG_LEVEL: 'error' });
  await stage.startServers(others, { WAYSTATION_LOG_LEVEL: 'error' });
  const [client, entrance] = [stage.client(server), stage.client(await stage.entrance())];
  const reporters = new Reporters(() => entrance, { name: 'clock', writers: 8 });
  await client.record(checkpointText('timed', 0));
  const stream = await EventStream.open(stage.client(stage.servers.at(-1)), '/threads/timed/stream');
  await whileReporting(reporters, () => jump(client, fake, reporters));
  stage.expectNoFault('Reports are taken whatever the clock says.', reporters.faults, reporters.againText);
  stage.expectNoFault(promised, await reporters.verify(entrance), `${reporters.total} steps read back in order`);
  await stream.until('all steps', (seen) => seen.ofType('checkpoint').length > JUMPS.length);
  const steps = stream.ofType('checkpoint').map(({ data }) => data.step_index);
  stream.close();
  stage.expect(
    'The stream brings every step in order.',
    steps.join() ===
      JUMPS.map((_, n) => n)
        .concat(JUMPS.length)
        .join(),
    steps.join(),
  );
  await expire(stage, client, fake);
}

async function jump(client, fake, reporters) {
  for (const [number, offset] of JUMPS.entries()) {
    fake.jump(offset);
    const before = reporters.total;
    await until('reports to go on', () => reporters.total > before + 100);
    await client.record(checkpointText('timed', number + 1));
    const { updated_at: updatedAt } = await client.json('/v1/runners/threads/timed/latest');
    const hoursOff = Math.abs(Date.parse(updatedAt) - Date.now()) / 3_600_000;
    if (offset !== '+0' && hoursOff < 0.5) throw new Error(`the clock did not jump: ${updatedAt}`);
  }
}

/** A jump back must not double the life of an approval of one day; a jump forward may close it, because its time is wall-clock time. */
async function expire(stage, client, fake) {
  await client.record(waitingEvent('late', 'late-run', 1, { approval_timeout_seconds: 3600 }));
  fake.jump('+2h');
  await until('the approval to expire', async () => (await client.json('/approvals/late-run/1')).status === 'expired');
  const { status } = await client.json('/v1/runners/threads/late/latest');
  stage.expect(
    'An approval whose time a jump has passed is a rejection, never an approval.',
    status === 'rejected',
    status,
  );
}
