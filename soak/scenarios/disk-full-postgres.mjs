import { chmodSync } from 'node:fs';
import { openEmbedded } from '../../bench/support/postgres-cluster.mjs';
import { Reporters, whileReporting } from '../support/reporters.mjs';
import { SmallDisk } from '../support/small-disk.mjs';
import { until } from '../support/until.mjs';

const PROMISE = 'A full disk under PostgreSQL is answered with 507 or 503 and Retry-After.';
const DISK_MIB = 224;
/** Free MiB before the disk fills: sometimes the tables run out of space first, sometimes the write-ahead log, which ends PostgreSQL. */
const LEFT_MIB = [24, 4, 40, 1, 12];
/** Keeps the log small. */
const SETTINGS = ['max_wal_size=48MB', 'min_wal_size=32MB', 'shared_buffers=16MB'];

/** @type {import('./scenario.mjs').Scenario} */
export const diskFullPostgres = {
  name: 'disk-full-postgres',
  title: 'the disk that PostgreSQL writes to is full, and has space again',
  databases: ['postgres'],
  run,
};

async function run(stage) {
  const rounds = stage.isShort ? 1 : Math.min(stage.rounds, 2 * LEFT_MIB.length);
  const folder = stage.cleanup.makeFolder('small');
  const disk = SmallDisk.mount(folder, { mib: DISK_MIB, cleanup: stage.cleanup });
  if (typeof disk === 'string') return stage.notTried(PROMISE, disk);
  chmodSync(folder, 0o755); // PostgreSQL may run as another user
  const cluster = await openEmbedded('on', stage.cleanup, { parent: folder, settings: SETTINGS });
  await stage.useCluster(cluster);
  await stage.startServers(stage.sizes.instances, { WAYSTATION_LOG_LEVEL: 'silent' });
  stage.tried(
    `${rounds} times a disk of ${DISK_MIB} MiB fills up while 8 agents report through a proxy to ${stage.servers.length} servers, and has space again`,
  );
  const client = stage.client(await stage.proxy());
  const seen = await fillAndFree(stage, { cluster, disk, client, rounds });
  stage.expectNoFault(PROMISE, seen.faults, seen.again.join('; '));
  stage.expect(
    'Whoever only reads is served as long as PostgreSQL is there.',
    seen.reads.every(isServed),
    seen.reads.join('; '),
  );
  stage.expect(
    `Reports are taken within ${stage.patience(10_000) / 1000} s of its having space, and PostgreSQL again where that had ended.`,
    seen.slowestMs < stage.patience(10_000),
    `at most ${seen.slowestMs.toFixed(0)} ms after it; PostgreSQL had ended ${seen.ended} of ${rounds} times`,
  );
  stage.expectNoFault('Nothing acknowledged is lost.', seen.lost, `${seen.steps} steps read back`);
  for (const server of [...stage.servers]) await stage.kill(server);
  await cluster.embedded.stop();
}

async function fillAndFree(stage, { cluster, disk, client, rounds }) {
  const seen = { faults: null, lost: null, again: [], reads: [], slowestMs: 0, ended: 0, steps: 0 };
  for (let round = 0; round < rounds; round += 1) {
    const reporters = new Reporters(() => client, { name: `disk-${round}`, writers: 8, padding: 4000 });
    await whileReporting(reporters, async () => {
      await until('reports to be taken', () => reporters.total > 16);
      disk.fill(LEFT_MIB[round % LEFT_MIB.length]);
      await until('the disk to be full', () => refusals(reporters) > 24, 120_000);
      seen.reads.push(await read(cluster, client, round));
      disk.free();
      seen.ended += Number(await revive(cluster));
      const [freedMs, before] = [performance.now(), reporters.total];
      await until('reports to be taken again', () => reporters.total > before + 16);
      seen.slowestMs = Math.max(seen.slowestMs, performance.now() - freedMs);
    });
    seen.again.push(reporters.againText);
    seen.steps += reporters.total;
    seen.faults = merged(seen.faults, reporters.faults);
    seen.lost = merged(seen.lost, await reporters.verify(client));
  }
  return seen;
}

function refusals({ again }) {
  return (again.get('507') ?? 0) + (again.get('503') ?? 0);
}

async function read(cluster, client, round) {
  const paths = ['/threads', `/v1/runners/threads/disk-${round}-0/latest`, '/health'];
  const answers = await Promise.all(paths.map((path) => client.get(path)));
  const statuses = answers.map(({ status }) => status).join(', ');
  return (await takesConnections(cluster)) ? statuses : `${statuses} (PostgreSQL takes no connections)`;
}

function isServed(read) {
  return read === '200, 200, 200' || /^(200|503), (200|503), 200 \(/.test(read);
}

function takesConnections(cluster) {
  return cluster.query('SELECT 1').then(
    () => true,
    () => false,
  );
}

/** Starts PostgreSQL again if it has ended. @returns {Promise<boolean>} whether it had */
async function revive(cluster) {
  const isEitherWay = async () => !cluster.embedded.isAlive() || (await takesConnections(cluster));
  await until('PostgreSQL to run or to end', isEitherWay);
  if (cluster.embedded.isAlive()) return false;
  await cluster.embedded.startAgain();
  return true;
}

function merged(all, { count, samples }) {
  if (all === null) return { count, samples: [...samples] };
  return { count: all.count + count, samples: [...all.samples, ...samples] };
}
