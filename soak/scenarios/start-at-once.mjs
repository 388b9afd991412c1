import { until } from '../support/until.mjs';

/** Default number; more servers make it harder. */
const SERVERS = 4;

/** @type {import('./scenario.mjs').Scenario} */
export const startAtOnce = {
  name: 'start-at-once',
  title: 'servers start at the same moment on a database without a table',
  databases: ['postgres'],
  run,
};

async function run(stage) {
  const count = stage.sizes.isInstancesGiven ? stage.sizes.instances : SERVERS;
  const rounds = stage.isShort ? 1 : Math.min(stage.rounds, 10);
  stage.tried(`${count} servers at once, ${rounds} times, each time on a new database`);
  let failures = 0;
  const seen = new Set();
  for (let round = 0; round < rounds; round += 1) {
    await stage.useCluster(await stage.cluster());
    const started = await Promise.allSettled(Array.from({ length: count }, () => stage.startServer()));
    for (const { status, reason } of started) {
      if (status === 'rejected') seen.add(reason.message);
      failures += Number(status === 'rejected');
    }
    if (failures === 0) await expectOneInstanceEach(stage);
    for (const server of [...stage.servers]) await stage.stop(server);
  }
  stage.expect(
    'Every one starts, whoever makes the tables; the machine secret is one.',
    failures === 0,
    `${rounds * count - failures} of ${rounds * count} started${seen.size > 0 ? `: ${[...seen].join('; ')}` : ''}`,
  );
}

/** All accept the one secret, and know of each other. */
async function expectOneInstanceEach(stage) {
  for (const server of stage.servers) {
    const client = stage.client(server);
    await until('all servers to know of each other', async () => {
      const { instances } = await client.json('/health/ready');
      return instances.length === stage.servers.length;
    });
  }
}
