import { median } from './support/medians.mjs';

const MIB = 1024 * 1024;

/**
 * What the product shall reach. Ratios are made within a round, since other work on the machine moves whole rounds.
 * @typedef {object} Goal
 * @property {string} name
 * @property {number} floor
 * @property {number | null} goal
 * @property {boolean} isLowerBetter
 * @property {number} digits
 * @property {(figures: Figures) => number} measure
 */

/**
 * @typedef {Omit<Goal, 'measure' | 'isLowerBetter'> & {measured: number, verdict: string}} Verdict
 */

/** Finds figures among the rows of a run. */
class Figures {
  /** @param {readonly import('./support/medians.mjs').Row[]} rows those with wrong answers do not count */
  constructor(rows) {
    this.rows = rows.filter((row) => row.faultCount === 0);
  }

  /** @returns {Map<number, number>} the figure by round (of the largest store where there are several) */
  of(workload, target, label, name) {
    const found = this.rows.filter((row) => row.workload === workload && row.target === target && row.label === label);
    const most = Math.max(...found.map((row) => row.threads ?? 0));
    return new Map(found.filter((row) => (row.threads ?? 0) === most).map((row) => [row.round, row[name]]));
  }

  median(workload, target, label, name) {
    return median([...this.of(workload, target, label, name).values()]);
  }

  share(part, whole) {
    const wholes = this.of(...whole);
    return median([...this.of(...part)].map(([round, value]) => value / (wholes.get(round) ?? Number.NaN)));
  }

  growth(workload, target, label, name) {
    const rows = this.rows.filter((row) => row.workload === workload && row.target === target && row.label === label);
    const sorted = [...rows].sort((a, b) => a.threads - b.threads);
    return sorted.length < 2 ? Number.NaN : sorted[sorted.length - 1][name] / sorted[0][name];
  }
}

const RATE = 'requestsPerSecond';

/** The same stack is the application's own adapter; the share of Nest's plain adapter is given for comparison with others. */
function shareOfYardstick(workload, label, yardstick) {
  return (figures) => figures.share([workload, 'sqlite', label, RATE], [workload, yardstick, label, RATE]);
}

/** CPU of a request, in those that the yardstick takes for W1's bodies. */
function timesW1Yardstick(workload, label, yardstick = 'yardstick') {
  return (figures) => figures.share([workload, 'sqlite', label, 'cpuMs'], ['W1', yardstick, label, 'cpuMs']);
}

function timesR1Yardstick(label, yardsticks = 'from memory, warm') {
  return (figures) => figures.share(['R1', 'sqlite', label, 'cpuMs'], ['R1', 'yardstick', yardsticks, 'cpuMs']);
}

function timesEmptyRoute(label) {
  return (figures) => figures.share(['G1', 'sqlite', label, 'cpuMs'], ['G1', 'yardstick', 'empty route', 'cpuMs']);
}

/** @type {readonly Goal[]} */
const GOALS = [
  atMost('start until /health answers, ms', 500, 300, 0, (figures) => figures.median('ST', 'sqlite', 'again', 'p50Ms')),
  atLeast('W1 requests/s, share of the yardstick', 0.45, 0.75, 2, shareOfYardstick('W1', '', 'yardstick')),
  atLeast('W1 the same, of the plain yardstick', 0.45, 0.75, 2, shareOfYardstick('W1', '', 'plain yardstick')),
  atMost('W1 CPU, times the yardstick, warm', 2.4, 1.7, 2, timesW1Yardstick('W1', 'warm')),
  atMost('W1 the same, times the plain yardstick', 2.4, 1.7, 2, timesW1Yardstick('W1', 'warm', 'plain yardstick')),
  atMost("W1D CPU, times W1's yardstick, warm", 1.6, 1, 2, timesW1Yardstick('W1D', 'warm')),
  atMost('W1D the same, times the plain yardstick', 1.6, 1, 2, timesW1Yardstick('W1D', 'warm', 'plain yardstick')),
  atMost("W2 CPU a batch, times W1's yardstick, warm", 9, 6, 1, timesW1Yardstick('W2', 'warm')),
  atMost('W2 the same, times the plain yardstick', 9, 6, 1, timesW1Yardstick('W2', 'warm', 'plain yardstick')),
  atMost('W1 bytes on disk per byte of distinct messages', 1.25, 0.5, 2, (figures) =>
    figures.median('W1', 'sqlite', 'warm', 'diskPerMessageByte'),
  ),
  atLeast('W1D requests/s, times W1', 2, null, 2, (figures) =>
    figures.share(['W1D', 'sqlite', '', RATE], ['W1', 'sqlite', '', RATE]),
  ),
  atLeast('W1D requests/s in threads of 300 turns, times whole histories', 2, null, 2, (figures) =>
    figures.share(['W1D', 'sqlite', '300 turns', RATE], ['W1D', 'sqlite', '300 turns, whole', RATE]),
  ),
  atMost('W1D CPU a request in threads of 300 turns, times that of 30', 1.1, null, 2, (figures) =>
    figures.share(['W1D', 'sqlite', '300 turns', 'cpuMs'], ['W1D', 'sqlite', '', 'cpuMs']),
  ),
  atLeast('W2 events/s', 50_000, 100_000, 0, (figures) => figures.median('W2', 'sqlite', '', 'eventsPerSecond')),
  atMost('G1 CPU of `latest` answered 304, times the empty route', 1.6, 1.25, 2, timesEmptyRoute('latest, 304')),
  atMost('G1 the same, `latest` of a small thread', 1.6, 1.25, 2, timesEmptyRoute('latest, 2 messages')),
  atMost('G1 the same, `GET /health`', 1.6, 1.25, 2, timesEmptyRoute('health')),
  atLeast(
    'R1 from memory, requests/s, share of the yardstick',
    0.5,
    0.8,
    2,
    shareOfYardstick('R1', 'from memory', 'yardstick'),
  ),
  atLeast('R1 the same, of the plain yardstick', 0.5, 0.8, 2, shareOfYardstick('R1', 'from memory', 'plain yardstick')),
  atMost('R1 from memory, CPU, times the yardstick', 1.4, 1.15, 2, timesR1Yardstick('from memory, warm')),
  atMost(
    'R1 the same, both at 4,000 requests a second',
    1.4,
    1.15,
    2,
    timesR1Yardstick('from memory, paced', 'from memory, paced'),
  ),
  atMost('R1 from the database, CPU, times the yardstick', 3.2, 2.3, 2, timesR1Yardstick('from the database, warm')),
  atLeast('R1 from the database, requests/s', 3000, 6000, 0, (figures) =>
    figures.median('R1', 'sqlite', 'from the database', RATE),
  ),
  atMost('R2 p50 ms at 100,000 threads, one client', 0.8, 0.5, 2, (figures) =>
    figures.median('R2', 'sqlite', 'one client', 'p50Ms'),
  ),
  atMost('R2 the same, times that at 1,000 threads', 2, null, 2, (figures) =>
    figures.growth('R2', 'sqlite', 'one client', 'p50Ms'),
  ),
  atMost('R2 search for a text in none of 100,000 threads, p50 ms', 100, 20, 1, (figures) =>
    figures.median('R2', 'sqlite', 'q (in none)', 'p50Ms'),
  ),
  atMost('R3 latest of 400 messages, p50 ms, eight clients', 10, 5, 2, (figures) =>
    figures.median('R3', 'sqlite', 'latest', 'p50Ms'),
  ),
  atMost(
    'R3 checkpoints full, growth of peak memory, MiB',
    64,
    16,
    0,
    (figures) => figures.median('R3', 'sqlite', 'checkpoints full', 'peakGrowthBytes') / MIB,
  ),
  atMost('A1 decide p50 ms with 10,000 pending, times that with 100', 2, null, 2, (figures) =>
    figures.growth('A1', 'sqlite', 'decide, one client', 'p50Ms'),
  ),
  atMost('A1 list p50 ms with 10,000 pending, times that with 100', 2, null, 2, (figures) =>
    figures.growth('A1', 'sqlite', 'list, one client', 'p50Ms'),
  ),
  atLeast('PostgreSQL: W1 requests/s, share of SQLite', 0.7, 0.85, 2, (figures) =>
    figures.share(['W1', 'postgres', '', RATE], ['W1', 'sqlite', '', RATE]),
  ),
  atMost('peak memory during W1, MiB', 350, 260, 0, (figures) => figures.median('W1', 'sqlite', '', 'peakBytes') / MIB),
  atMost(
    'memory at rest after W1, MiB',
    220,
    160,
    0,
    (figures) => figures.median('W1', 'sqlite', '', 'restBytes') / MIB,
  ),
];

/**
 * @param {readonly import('./support/medians.mjs').Row[]} rows @returns {Verdict[]} without those that were not measured
 */
export function judge(rows) {
  const figures = new Figures(rows);
  return GOALS.map(({ measure, isLowerBetter, ...goal }) => {
    const measured = measure(figures);
    return { ...goal, measured, verdict: verdictOf(measured, goal, isLowerBetter) };
  }).filter(({ measured }) => !Number.isNaN(measured));
}

function verdictOf(measured, { floor, goal }, isLowerBetter) {
  const reaches = (bound) => (isLowerBetter ? measured <= bound : measured >= bound);
  if (goal !== null && reaches(goal)) return 'goal reached';
  if (reaches(floor)) return goal === null ? 'reached' : 'floor reached';
  return 'BELOW';
}

function atLeast(name, floor, goal, digits, measure) {
  return { name, floor, goal, digits, measure, isLowerBetter: false };
}

function atMost(name, floor, goal, digits, measure) {
  return { name, floor, goal, digits, measure, isLowerBetter: true };
}
