// `npm run bench`: measures the built server with all workloads on each database, together with the yardstick.
import { writeFileSync } from 'node:fs';
import os from 'node:os';
import { Bench } from './support/bench.mjs';
import { USAGE, parseOptions } from './support/options.mjs';
import { printGrowth, printTargets, printWorkload } from './support/report.mjs';
import { openTargets } from './support/target.mjs';
import { judge } from './targets.mjs';
import { WORKLOADS } from './workloads/workload.mjs';

const options = readOptions();
const bench = new Bench(options);
try {
  await main();
} catch (error) {
  bench.reportFailure('benchmark', error);
}
await bench.cleanup.run();
process.exit(bench.faultCount === 0 ? 0 : 1);

function readOptions() {
  const names = WORKLOADS.map(({ name }) => name);
  try {
    return parseOptions(process.argv.slice(2), names);
  } catch (error) {
    console.error(`${error.message}\n${USAGE}\nWorkloads: ${names.join(', ')}`);
    process.exit(2);
  }
}

async function main() {
  const targets = await openTargets(bench);
  const machine = `${os.cpus()[0]?.model ?? 'unknown CPU'} x ${os.cpus().length}, ${os.type()} ${os.release()}`;
  console.log(`Node ${process.versions.node}, ${machine}; scale ${options.scale}, rounds ${options.rounds}`);
  for (const { name, description } of targets) console.log(`  ${name}: ${description}`);
  const rows = [];
  for (const workload of WORKLOADS.filter(({ name }) => options.only === null || options.only.includes(name))) {
    const measured = await measureWorkload(workload, targets);
    rows.push(...measured);
    printWorkload(workload, measured);
    printGrowth(measured);
  }
  const verdicts = judge(rows);
  printTargets(verdicts, options.scale);
  console.log(bench.faultCount === 0 ? '\nAll answers were right.' : `\n${bench.faultCount} ANSWERS WERE WRONG.`);
  if (options.json !== null) writeJson({ machine, targets, rows, verdicts });
}

async function measureWorkload(workload, targets) {
  const rows = [];
  for (let round = 1; round <= (workload.isRepeated ? options.rounds : 1); round += 1) {
    for (const target of targets.filter(({ name }) => workload.targets.includes(name))) {
      const measured = await measureOnce(workload, target);
      rows.push(...measured.map((row) => ({ workload: workload.name, target: target.name, round, ...row })));
    }
  }
  return rows;
}

async function measureOnce(workload, target) {
  const session = await target.open(bench);
  try {
    return await workload.measure(session);
  } catch (error) {
    bench.reportFailure(`${workload.name} on ${target.name}`, error);
    return [];
  } finally {
    await session.close().catch((error) => bench.reportFailure(`closing ${target.name}`, error));
  }
}

function writeJson({ machine, targets, rows, verdicts }) {
  const described = targets.map(({ name, description }) => ({ name, description }));
  const { scale, rounds, fsync } = options;
  const at = new Date().toISOString();
  const node = process.versions.node;
  writeFileSync(
    options.json,
    `${JSON.stringify({ at, node, machine, scale, rounds, fsync, targets: described, rows, verdicts }, null, 2)}\n`,
  );
}
