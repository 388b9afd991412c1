import type { Work } from './work.js';

export interface ReportedStep {
  /** By the clock of the server. */
  reportedAt: number;
  /** By the clock of the agent. */
  works: readonly Work[];
}

export interface ReachedStep {
  /** The first sign of it, not after `at`. */
  from: number;
  at: number;
  /** Adds to times of the agent's clock. */
  skew: number;
}

/**
 * When each step was reached, on the server's clock, never going back.
 *
 * A report may come late (the agent was offline), may be changed later, and may be placed behind others. So the time of its last message
 * counts, moved by the difference of the clocks: the shortest way that any report of the attempt took. Where a clock has jumped, the
 * message would lie outside of what the server saw; then the report counts.
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

/** A step was reached no later than it and all that follow it were reported. */
function latestPossible(steps: readonly ReportedStep[]): number[] {
  const bounds = steps.map(({ reportedAt }) => reportedAt);
  for (let at = bounds.length - 2; at >= 0; at--) bounds[at] = Math.min(bounds[at]!, bounds[at + 1]!);
  return bounds;
}
