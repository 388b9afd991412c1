import { medianRows } from './medians.mjs';
import { figure, milliseconds, table } from './table.mjs';

const MIB = 1024 * 1024;
const MB = 1_000_000;
const KB = 1000;
const NONE = '-';

/** The columns of a workload's table; those without figures are left out. */
const COLUMNS = [
  ['on', (row) => row.target],
  ['what', (row) => labelOf(row) || NONE],
  ['stored', (row) => figure(row.threads)],
  ['clients', (row) => figure(row.clients)],
  ['requests', (row) => figure(row.requests)],
  ['req/s', (row) => figure(row.requestsPerSecond, row.requestsPerSecond < 100 ? 1 : 0)],
  ['sent KB', (row) => figure(row.summary.bodyBytes / KB, 1)],
  ['answer KB', (row) => figure(row.summary.answerBytes / KB, 1)],
  ['events/s', (row) => figure(row.eventsPerSecond)],
  ['first ms', (row) => milliseconds(row.coldMs)],
  ['p50 ms', (row) => milliseconds(row.p50Ms)],
  ['p99 ms', (row) => milliseconds(row.p99Ms)],
  ['max ms', (row) => milliseconds(row.maxMs)],
  ['CPU ms/req', (row) => figure(row.cpuMs, 3)],
  ['database CPU', (row) => figure(row.databaseCpuMs, 3)],
  ['generator CPU', (row) => figure(row.generatorCpuMs, 3)],
  ['others CPU %', (row) => figure(row.othersShare * 100)],
  ['peak MiB', (row) => figure(row.peakBytes / MIB)],
  ['rest MiB', (row) => figure(row.restBytes / MIB)],
  ['growth MiB', (row) => figure(row.peakGrowthBytes / MIB)],
  ['disk MB', (row) => figure(row.diskBytes / MB, 1)],
  ['messages MB', (row) => figure(row.messageBytes / MB, 1)],
  ['disk/messages', (row) => figure(row.diskPerMessageByte, 2)],
];

function labelOf({ label, isCutShort, faultCount }) {
  return `${label}${isCutShort ? ' (cut short)' : ''}${faultCount > 0 ? ' (WRONG ANSWERS)' : ''}`.trim();
}

/** @param {import('../workloads/workload.mjs').Workload} workload @param {readonly import('./medians.mjs').Row[]} rows */
export function printWorkload(workload, rows) {
  console.log(`\n${workload.name}  ${workload.title}`);
  const joined = medianRows(rows.filter((row) => !row.isDetail));
  if (joined.length === 0) return;
  const cells = COLUMNS.map(([head, print]) => ({ head, values: joined.map(print) })).filter(
    ({ head, values }) => head === 'on' || values.some((value) => value !== NONE),
  );
  const lines = joined.map((_, index) => cells.map(({ values }) => values[index]));
  console.log(
    table(
      cells.map(({ head }) => head),
      lines,
    ),
  );
}

/**
 * How figures grow from few stored threads to many, if a workload was measured at both.
 * @param {readonly import('./medians.mjs').Row[]} rows of one workload
 */
export function printGrowth(rows) {
  const sizes = [...new Set(rows.map((row) => row.threads))].filter((size) => size !== undefined);
  if (sizes.length < 2) return;
  const [few, many] = [Math.min(...sizes), Math.max(...sizes)];
  const isSame = (one, other) => one.label === other.label && one.target === other.target;
  const lines = rows
    .filter((row) => row.threads === many)
    .map((row) =>
      growthLine(
        rows.find((one) => one.threads === few && isSame(one, row)),
        row,
      ),
    );
  const heads = [
    'on',
    'what',
    'clients',
    `p50 ms at ${figure(few)}`,
    `p50 ms at ${figure(many)}`,
    'ratio',
    'p99 ms',
    'CPU ms/req',
  ];
  console.log(`\n${table(heads, lines)}`);
}

function growthLine(small, large) {
  return [
    large.target,
    labelOf(large),
    figure(large.clients),
    milliseconds(small?.p50Ms),
    milliseconds(large.p50Ms),
    figure(large.p50Ms / small?.p50Ms, 2),
    milliseconds(large.p99Ms),
    figure(large.cpuMs, 3),
  ];
}

/** @param {readonly import('../targets.mjs').Verdict[]} verdicts @param {number} scale */
export function printTargets(verdicts, scale) {
  if (verdicts.length === 0) return;
  const note = scale === 1 ? '' : `  (they hold for --scale 1; this run was ${scale})`;
  console.log(`\nTargets${note}`);
  const lines = verdicts.map(({ name, measured, limit, digits, verdict }) => [
    name,
    figure(measured, digits),
    figure(limit, digits),
    verdict,
  ]);
  console.log(table(['target', 'measured', 'limit', 'verdict'], lines));
}
