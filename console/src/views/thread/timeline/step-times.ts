import type { Work } from './work.js';

export interface ReportedStep {
  /** By the server's clock. */
  reportedAt: number;
  /** By the agent's clock. */
  works: readonly Work[];
}

export interface ReachedStep {
  /** The first sign of work on it, not after `at`. */
  from: number;
  at: number;
  /** Add this to times of the agent's clock. */
  skew: number;
}

/**
 * When each step was reached, by the server's clock, never decreasing.
 *
 * A report may come late (the agent was offline), change later, or belong before others. So the time of the step's last message counts,
 * plus the clocks' difference: the shortest delay of any report of the attempt. If a clock has jumped, so that the message lies outside
 * what the server saw, the report's time counts.
 */
export function stepTimes(steps: readonly ReportedStep[], earliest: number): ReachedStep[] {
  const bounds = latestPossible(steps);
  const delays = steps.flatMap(({ works }, at) => (works.length > 0 ? [bounds[at]! - works.at(-1)!.at] : []));
  const skew = delays.reduce((least, delay) => Math.min(least, delay), Infinity);
  let before = Math.min(earliest, bounds[0] ?? earliest);
  return steps.map(({ works }, at) => {
    const bound = Math.max(before, bounds[at]!);
    const clamped = (ms: number) => Math.min(Math.max(ms, before), bound);
    const written = works.length > 0 ? works.at(-1)!.at + skew : Number.NaN;
    const reached = written >= before && written <= bound ? written : bound;
    const step = {
      from: clamped((works[0]?.at ?? Number.NaN) + skew || reached),
      at: reached,
      skew: works.length > 0 ? skew : 0,
    };
    step.from = Math.min(step.from, step.at);
    before = reached;
    return step;
  });
}

/** A step was reached no later than it and all later ones were reported. */
function latestPossible(steps: readonly ReportedStep[]): number[] {
  const bounds = steps.map(({ reportedAt }) => reportedAt);
  for (let at = bounds.length - 2; at >= 0; at--) bounds[at] = Math.min(bounds[at]!, bounds[at + 1]!);
  return bounds;
}
