import { EventStream } from '../support/event-stream.mjs';
import { checkpointText, waitingEvent } from '../support/events.mjs';
import { Reporters, whileReporting } from '../support/reporters.mjs';
import { until } from '../support/until.mjs';

const TAKE_OVER_MS = 30_000;

/** @type {import('./scenario.mjs').Scenario} */
export const lostInstance = {
  name: 'lost-instance',
  title: 'one of several servers is killed with -9 under load',
  databases: ['postgres'],
  run,
};

async function run(stage) {
  const rounds = stage.isShort ? 1 : Math.min(stage.rounds, 10);
  stage.tried(
    `${rounds} times kill -9 of one of ${stage.sizes.instances} servers, 12 agents reporting through a proxy`,
  );
  await stage.startServers(stage.sizes.instances);
  const proxy = await stage.proxy();
  const client = stage.client(proxy);
  const reporters = new Reporters(() => client, { name: 'lost', writers: 12 });
  const slowestMs = await whileReporting(reporters, () => killInTurn(stage, proxy, reporters, rounds));
  stage.expectNoFault(
    'Its clients see a broken connection, and are served by the others when they send again.',
    reporters.faults,
    reporters.againText,
  );
  stage.expect(
    'What it would have done is done by the others within 30 s: an approval expires, a stream goes on where it was.',
    slowestMs < TAKE_OVER_MS,
    `at most ${(slowestMs / 1000).toFixed(1)} s after the kill`,
  );
  const faults = await reporters.verify(stage.client(stage.servers[0]));
  stage.expectNoFault('Nothing acknowledged is lost.', faults, `${reporters.total} steps read back`);
}

async function killInTurn(stage, proxy, reporters, rounds) {
  let slowestMs = 0;
  for (let round = 0; round < rounds; round += 1) {
    const [victim, heir] = stage.servers;
    const [doomed, safe] = [stage.client(victim), stage.client(heir)];
    const id = `left-${round}`;
    await doomed.record(checkpointText(id, 0));
    await doomed.record(waitingEvent(`${id}-call`, `${id}-call-run`, 1, { approval_timeout_seconds: 1 }));
    const cut = await EventStream.open(doomed, `/threads/${id}/stream`);
    await cut.until('where the thread stands', ({ seen }) => seen.length > 0);
    const before = reporters.total;
    await until('reports to go on', () => reporters.total > before + 50);
    await stage.kill(victim);
    const killedMs = performance.now();
    await takeOver(safe, id, cut.seen.at(-1).id);
    slowestMs = Math.max(slowestMs, performance.now() - killedMs);
    const fresh = await stage.startServer();
    proxy.replace(victim, fresh);
  }
  return slowestMs;
}

async function takeOver(client, id, lastEventId) {
  await client.record(checkpointText(id, 1));
  const stream = await EventStream.open(client, `/threads/${id}/stream`, lastEventId);
  await stream.until('the step after the kill', ({ seen }) => seen.some(({ data }) => data.step_index === 1));
  stream.close();
  const path = `/approvals/${id}-call-run/1`;
  await until('the approval to expire', async () => (await client.json(path)).status === 'expired', TAKE_OVER_MS);
}
