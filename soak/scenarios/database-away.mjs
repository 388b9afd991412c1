import { setTimeout as pause } from 'node:timers/promises';
import { openEmbedded } from '../../bench/support/postgres-cluster.mjs';
import { EventStream } from '../support/event-stream.mjs';
import { checkpointText } from '../support/events.mjs';
import { Reporters, whileReporting } from '../support/reporters.mjs';
import { until } from '../support/until.mjs';

/** @type {import('./scenario.mjs').Scenario} */
export const databaseAway = {
  name: 'database-away',
  title: 'PostgreSQL is stopped and started again under load',
  databases: ['postgres'],
  run,
};

async function run(stage) {
  const cluster = await openEmbedded('on', stage.cleanup);
  await stage.useCluster(cluster);
  const rounds = stage.isShort ? 1 : Math.min(stage.rounds, 10);
  stage.tried(
    `${rounds} times stopped and started, 8 agents reporting to ${stage.sizes.instances} servers, a stream open`,
  );
  const env = { WAYSTATION_LOG_LEVEL: 'silent' };
  const servers = await stage.startServers(stage.sizes.instances, env);
  const clients = servers.map((server) => stage.client(server));
  let turn = 0;
  const reporters = new Reporters(() => clients[turn++ % clients.length], { name: 'away', writers: 8 });
  await clients[0].record(checkpointText('watched', 0));
  const stream = await EventStream.open(clients[1], '/threads/watched/stream');
  await stream.until('its beginning', ({ seen }) => seen.length > 0);
  await whileReporting(reporters, () => stopAndStart(stage, { cluster, clients, reporters, rounds }));
  stage.expectNoFault(
    'Reports are answered with 503 and Retry-After, and taken again by themselves.',
    reporters.faults,
    reporters.againText,
  );
  stage.expectNoFault(
    'Nothing acknowledged is lost.',
    await reporters.verify(clients[1]),
    `${reporters.total} steps read back`,
  );
  await expectStreamGoesOn(stage, clients, stream);
  for (const server of servers) await stage.stop(server);
  await cluster.embedded.stop();
}

async function stopAndStart(stage, { cluster, clients, reporters, rounds }) {
  const back = [];
  for (let round = 0; round < rounds; round += 1) {
    const before = reporters.total;
    await until('reports to be taken', () => reporters.total > before + 50);
    await cluster.embedded.stop();
    await until('reports to be refused', () => reporters.again.size > 0);
    if (round === 0) await askWhileAway(stage, clients[0]);
    await pause(Math.random() * 1000);
    await cluster.embedded.startAgain();
    const startedMs = performance.now();
    const refused = reporters.total;
    await until('reports to go on', () => reporters.total > refused + 16);
    back.push(performance.now() - startedMs);
  }
  const slowest = Math.max(...back);
  stage.expect(
    `Reports are taken within ${stage.patience(5000) / 1000} s of its return.`,
    slowest < stage.patience(5000),
    `at most ${slowest.toFixed(0)} ms after it`,
  );
}

async function askWhileAway(stage, client) {
  const paths = ['/health', '/health/ready', '/threads', '/v1/runners/threads/away-0/latest'];
  const answers = await Promise.all(paths.map((path) => client.get(path)));
  const statuses = answers.map(({ status }) => status).join(', ');
  stage.expect(
    'Meanwhile /health is 200, /health/ready and questions are 503.',
    statuses === '200, 503, 503, 503',
    statuses,
  );
}

/** The stream survives or is cut; reconnecting with the last id misses nothing. */
async function expectStreamGoesOn(stage, clients, stream) {
  await clients[0].record(checkpointText('watched', 1));
  const lives = !stream.isEnded;
  const follower = lives
    ? stream
    : await EventStream.open(clients[1], '/threads/watched/stream', stream.seen.at(-1).id);
  await follower.until('the next step', ({ seen }) => seen.some(({ data }) => data.step_index === 1));
  follower.close();
  stage.expect('A stream misses nothing.', true, lives ? 'it lived on' : 'it was cut, and resumed');
}
