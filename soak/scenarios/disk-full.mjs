import { Reporters, whileReporting } from '../support/reporters.mjs';
import { integrityOf } from '../support/sqlite.mjs';
import { SmallDisk } from '../support/small-disk.mjs';
import { until } from '../support/until.mjs';

const PROMISE = 'A full disk is answered with 507 or 503 and Retry-After.';

/** @type {import('./scenario.mjs').Scenario} */
export const diskFull = {
  name: 'disk-full',
  title: 'the disk is full, and has space again',
  databases: ['sqlite'],
  run,
};

async function run(stage) {
  const [mib, ballastMib] = stage.isShort ? [12, 6] : [64, 32];
  const disk = SmallDisk.mount(stage.home, { mib, ballastMib, cleanup: stage.cleanup });
  if (typeof disk === 'string') return stage.notTried(PROMISE, disk);
  stage.tried(
    `a disk of ${mib} MiB, ${ballastMib} of them taken by something else; 8 agents report until it is full and go on`,
  );
  let server = await stage.startServer({ WAYSTATION_LOG_LEVEL: 'silent' });
  let client = stage.client(server);
  const reporters = new Reporters(() => client, { name: 'full', writers: 8, padding: 2000 });
  await whileReporting(reporters, async () => {
    await until(
      'the disk to be full',
      () => (reporters.again.get('507') ?? 0) + (reporters.again.get('503') ?? 0) > 24,
      120_000,
    );
    await readWhileFull(stage, client);
    const before = reporters.total;
    disk.free();
    await until('reports to be taken again', () => reporters.total > before + 16);
    await stage.kill(server);
    server = await stage.startServer({ WAYSTATION_LOG_LEVEL: 'silent' });
    client = stage.client(server);
  });
  stage.expectNoFault(PROMISE, reporters.faults, reporters.againText);
  const lost = await reporters.verify(client);
  stage.expectNoFault(
    'The server goes on by itself when there is space, and lost nothing acknowledged.',
    lost,
    `${reporters.total} steps`,
  );
  await stage.kill(server);
  const integrity = await integrityOf(stage.sqliteFile);
  stage.expect('The file is whole.', integrity === 'ok', `integrity_check: ${integrity}`);
}

async function readWhileFull(stage, client) {
  const answers = await Promise.all(
    ['/threads', '/v1/runners/threads/full-0/latest', '/health'].map((path) => client.get(path)),
  );
  const statuses = answers.map(({ status }) => status);
  stage.expect(
    'Whoever only reads is served meanwhile.',
    statuses.join() === '200,200,200',
    `answered ${statuses.join(', ')}`,
  );
}
