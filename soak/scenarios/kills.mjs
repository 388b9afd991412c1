import { setTimeout as pause } from 'node:timers/promises';
import { FaultList } from '../../bench/generator/fault-list.mjs';
import { openEmbedded } from '../../bench/support/postgres-cluster.mjs';
import { givenDatabaseUrl } from '../../bench/support/environment.mjs';
import { Reporters, whileReporting } from '../support/reporters.mjs';
import { integrityOf } from '../support/sqlite.mjs';
import { until } from '../support/until.mjs';

const WRITERS = 8;
const QUIET = { WAYSTATION_LOG_LEVEL: 'silent' };
/** In one round of this many, PostgreSQL is killed instead. */
const DATABASE_EVERY = 3;

/** @type {import('./scenario.mjs').Scenario} */
export const kills = {
  name: 'kills',
  title: 'kill -9 at random moments under load',
  databases: ['sqlite', 'postgres'],
  run,
};

async function run(stage) {
  const cluster = await ownCluster(stage);
  const ofServers = stage.instances > 1 ? ` of one or all of ${stage.instances} servers` : '';
  const ofDatabase = cluster ? `; every ${DATABASE_EVERY}rd is of PostgreSQL itself` : '';
  stage.tried(
    `${stage.rounds} kills${ofServers}, ${WRITERS} agents that send again until they are answered${ofDatabase}`,
  );
  const victim = new Victim(stage, cluster);
  await victim.start();
  const lost = new FaultList();
  const faults = new FaultList();
  let steps = 0;
  for (let round = 1; round <= stage.rounds; round += 1) {
    const reporters = await killOnce(victim, round);
    steps += reporters.total;
    take(lost, await reporters.verify(victim.client), round);
    take(faults, reporters.faults, round);
  }
  const promised = 'Every acknowledged checkpoint reads back, byte for byte, and none twice.';
  stage.expectNoFault(promised, lost, `${steps} steps read back`);
  stage.expectNoFault('Clients see nothing but broken connections and 503 with Retry-After.', faults, 'so it was');
  if (stage.database !== 'sqlite') return;
  const integrity = [...victim.integrity].join();
  stage.expect('The file is whole after each kill.', integrity === 'ok', `integrity_check: ${integrity}`);
}

async function killOnce(victim, round) {
  const reporters = new Reporters(() => victim.client, { name: `round-${round}`, writers: WRITERS });
  await whileReporting(reporters, async () => {
    await until('reports to be taken', () => reporters.total > 20);
    await pause(Math.random() * 700);
    await victim.kill(round);
    const before = reporters.total;
    await until('reports to go on', () => reporters.total > before + WRITERS);
  });
  return reporters;
}

function take(all, { count, samples }, round) {
  for (const sample of samples) all.add(`round ${round}: ${sample}`);
  all.count += count - samples.length;
}

/** The servers, or their database, that are killed and restarted. */
class Victim {
  client = null;
  /** SQLite's verdicts on the file after each kill. @type {Set<string>} */
  integrity = new Set();
  #proxy = null;

  constructor(stage, cluster) {
    this.stage = stage;
    this.cluster = cluster;
  }

  async start() {
    await this.stage.startServers(this.stage.instances, QUIET);
    if (this.stage.servers.length > 1) this.#proxy = await this.stage.proxy();
    this.client = this.stage.client(this.#proxy ?? this.stage.servers[0]);
  }

  async kill(round) {
    if (this.cluster && round % DATABASE_EVERY === 0) {
      this.cluster.embedded.kill();
      await this.cluster.embedded.startAgain();
      return;
    }
    const { servers } = this.stage;
    const doomed = round % 2 === 0 ? [...servers] : [servers[Math.floor(Math.random() * servers.length)]];
    await Promise.all(doomed.map((server) => this.stage.kill(server)));
    if (this.stage.database === 'sqlite') this.integrity.add(await integrityOf(this.stage.sqliteFile));
    await Promise.all(doomed.map((server) => this.#replace(server)));
  }

  async #replace(server) {
    const fresh = await this.stage.startServer(QUIET);
    if (this.#proxy) this.#proxy.replace(server, fresh);
    else this.client = this.stage.client(fresh);
  }
}

/** A given PostgreSQL server must not be killed. */
async function ownCluster(stage) {
  if (stage.database === 'sqlite' || givenDatabaseUrl() !== null) return null;
  const cluster = await openEmbedded('on', stage.cleanup);
  await stage.useCluster(cluster);
  return cluster;
}
