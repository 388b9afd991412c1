import { median } from './support/medians.mjs';

const MIB = 1024 * 1024;

/**
 * A target of the product. Ratios are computed within a round, because other work on the machine affects whole rounds.
 * @typedef {object} Goal
 * @property {string} name
 * @property {number} limit
 * @property {number} digits
 * @property {(figures: Figures) => number} measure
 */

/**
 * @typedef {Omit<Goal, 'measure'> & {measured: number, verdict: string}} Verdict
 */

/** Finds figures in the rows of a run. */
class Figures {
  /** @param {readonly import('./support/medians.mjs').Row[]} rows those with wrong responses do not count */
  constructor(rows) {
    this.rows = rows.filter((row) => row.faultCount === 0);
  }

  /** @returns {Map<number, number>} the figure by round; of the largest store if there are several */
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
}

/** CPU per request as a multiple of the baseline's in the same rounds. */
function timesBaseline(workload, label) {
  return (figures) => figures.share([workload, 'sqlite', label, 'cpuMs'], [workload, 'baseline', label, 'cpuMs']);
}

/** @type {readonly Goal[]} */
const GOALS = [
  atMost('W1 CPU of a request, times the baseline', 1.15, 2, timesBaseline('W1', 'warm')),
  atMost('W2 CPU of a batch, times the baseline', 1.15, 2, timesBaseline('W2', 'warm')),
  atMost('R1 from memory, CPU, times the baseline', 1.15, 2, timesBaseline('R1', 'from memory, warm')),
  atMost('start until /health, ms', 1000, 0, (figures) => figures.median('ST', 'sqlite', 'again', 'p50Ms')),
  atMost('memory at rest after W1, MiB', 280, 0, (figures) => figures.median('W1', 'sqlite', '', 'restBytes') / MIB),
  atMost('W1 bytes on disk per byte of distinct messages', 1.4, 2, (figures) =>
    figures.median('W1', 'sqlite', 'warm', 'diskPerMessageByte'),
  ),
  atMost('R2 list of 100,000 threads, p50 ms', 1.0, 2, (figures) =>
    figures.median('R2', 'sqlite', 'one client', 'p50Ms'),
  ),
  atMost('W1D CPU of a request at 300 turns, times that at 30', 1.1, 2, (figures) =>
    figures.share(['W1D', 'sqlite', '300 turns', 'cpuMs'], ['W1D', 'sqlite', '', 'cpuMs']),
  ),
];

/**
 * @param {readonly import('./support/medians.mjs').Row[]} rows @returns {Verdict[]} without unmeasured ones
 */
export function judge(rows) {
  const figures = new Figures(rows);
  return GOALS.map(({ measure, ...goal }) => {
    const measured = measure(figures);
    return { ...goal, measured, verdict: measured <= goal.limit ? 'reached' : 'MISSED' };
  }).filter(({ measured }) => !Number.isNaN(measured));
}

function atMost(name, limit, digits, measure) {
  return { name, limit, digits, measure };
}
