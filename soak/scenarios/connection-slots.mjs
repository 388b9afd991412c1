import pg from 'pg';
import { Reporters, whileReporting } from '../support/reporters.mjs';
import { until } from '../support/until.mjs';

/** Connections of the database user, per server: its pool and its listener. */
const SLOTS = 14;

/** @type {import('./scenario.mjs').Scenario} */
export const connectionSlots = {
  name: 'connection-slots',
  title: 'others hold all connections that PostgreSQL allows',
  databases: ['postgres'],
  run,
};

async function run(stage) {
  const slots = SLOTS * stage.instances;
  stage.tried(
    `a database user with ${slots} connections; others take all that are free while ${stage.instances} servers start to work, then let go`,
  );
  await stage.environment();
  const url = await limitedUser(stage, slots);
  await stage.startServers(stage.instances, { DATABASE_URL: url, WAYSTATION_LOG_LEVEL: 'silent' });
  const client = stage.client(await stage.proxy());
  const others = await takeAll(url);
  const reporters = new Reporters(() => client, { name: 'slots', writers: 24 });
  await whileReporting(reporters, async () => {
    await until('an answer', () => reporters.total + reporters.again.size > 0);
    const health = await client.get('/health');
    stage.expect(
      '/health answers.',
      health.status === 200 && health.ms < stage.patience(1000),
      `${health.status} in ${health.ms.toFixed(0)} ms`,
    );
    const lists = await Promise.all(Array.from({ length: 12 }, () => client.get('/threads')));
    const isSaid = lists.every(
      (answer) => answer.status === 200 || (answer.status === 503 && answer.headers['retry-after']),
    );
    stage.expect(
      'Questions are answered, or refused with 503 and Retry-After.',
      isSaid,
      `${lists.map(({ status }) => status)}`,
    );
    await Promise.all(others.map((other) => other.end()));
    const before = reporters.total;
    await until('reports to go on', () => reporters.total > before + 50);
  });
  stage.expectNoFault(
    'Reports are taken, or refused with 503 and Retry-After.',
    reporters.faults,
    `${others.length} taken by others; ${reporters.againText}`,
  );
  const lost = await reporters.verify(client);
  stage.expectNoFault('Nothing acknowledged is lost.', lost, `${reporters.total} steps read back`);
  for (const server of [...stage.servers]) await stage.stop(server);
  await dropUser(stage);
}

async function limitedUser(stage, slots) {
  const name = userOf(stage);
  const { pathname } = new URL(stage.databaseUrl);
  await query(stage.databaseUrl, `CREATE ROLE ${name} LOGIN PASSWORD 'soak' CONNECTION LIMIT ${slots}`);
  await query(stage.databaseUrl, `GRANT ALL ON DATABASE ${pathname.slice(1)} TO ${name}`);
  await query(stage.databaseUrl, `GRANT ALL ON SCHEMA public TO ${name}`);
  const url = new URL(stage.databaseUrl);
  url.username = name;
  url.password = 'soak';
  return url.href;
}

async function dropUser(stage) {
  await query(stage.databaseUrl, `DROP OWNED BY ${userOf(stage)} CASCADE`);
  await query(stage.databaseUrl, `DROP ROLE ${userOf(stage)}`);
}

function userOf(stage) {
  return `${new URL(stage.databaseUrl).pathname.slice(1)}_user`;
}

async function query(url, sql) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql);
  await client.end();
}

/** Connects until no connection is left. */
async function takeAll(url) {
  const taken = [];
  for (;;) {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    const isTaken = await client.connect().then(
      () => true,
      () => false,
    );
    if (!isTaken) return taken;
    taken.push(client);
  }
}
