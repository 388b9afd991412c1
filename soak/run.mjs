// `npm run soak`: many instances, severe faults and long loads against the built server; prints what was promised, tried and seen.
import { writeFileSync } from 'node:fs';
import os from 'node:os';
import { Cleanup } from '../bench/support/cleanup.mjs';
import { PostgresCluster } from '../bench/support/postgres-cluster.mjs';
import { SCENARIOS } from './scenarios/scenario.mjs';
import { USAGE, parseOptions } from './support/options.mjs';
import { Report } from './support/report.mjs';
import { Stage } from './support/stage.mjs';

const options = readOptions();
const report = new Report();
const cleanup = new Cleanup();
let cluster = null;

if (options.isList) {
  for (const { name, databases, title } of SCENARIOS) console.log(`${name} (${databases.join(', ')}): ${title}`);
  process.exit(0);
}
const chosen = SCENARIOS.filter(({ name }) => options.only === null || options.only.includes(name));
for (const scenario of chosen) {
  for (const database of databasesOf(scenario)) await play(scenario, database);
}
report.print();
if (options.json !== null) writeJson();
await cleanup.run();
process.exit(report.count('broken') === 0 ? 0 : 1);

function readOptions() {
  const names = SCENARIOS.map(({ name }) => name);
  try {
    return parseOptions(process.argv.slice(2), names);
  } catch (error) {
    console.error(`${error.message}\n${USAGE}\nScenarios: ${names.join(', ')}`);
    process.exit(2);
  }
}

function databasesOf({ databases, shortOn }) {
  const wanted = (options.sizes.isShort && shortOn) || databases;
  return wanted.filter((name) => options.databases.includes(name));
}

async function play(scenario, database) {
  const begun = performance.now();
  report.begin(scenario, database);
  const stage = new Stage({ database, options, report, cleanup, cluster: sharedCluster });
  try {
    await scenario.run(stage);
  } catch (error) {
    const log = stage.servers.map((server) => server.logTail()).join('');
    report.note('The scenario runs to its end.', 'broken', `${error.stack}${log}`);
  }
  await stage.close().catch((error) => report.note('The servers can be stopped.', 'broken', error.message));
  report.end((performance.now() - begun) / 1000);
}

/** Opened for the first scenario that needs it: TEST_DATABASE_URL, otherwise an embedded one. */
async function sharedCluster() {
  cluster ??= await PostgresCluster.open({ fsync: 'on', cleanup });
  return cluster;
}

function writeJson() {
  const machine = `${os.cpus()[0]?.model ?? 'unknown CPU'} x ${os.cpus().length}, ${os.type()} ${os.release()}`;
  const { sizes } = options;
  const { trials, findings } = report;
  const at = new Date().toISOString();
  const document = {
    at,
    node: process.versions.node,
    machine,
    database: cluster?.description,
    sizes,
    trials,
    findings,
  };
  writeFileSync(options.json, `${JSON.stringify(document, null, 2)}\n`);
}
