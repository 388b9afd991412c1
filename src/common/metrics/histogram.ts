import type { Sample } from './metrics.js';

/** Seconds, from what memory answers to what somebody will complain about. */
export const LATENCY_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Counts observations in buckets. */
export class Histogram {
  private readonly counts: number[];
  private sum = 0;

  /** @param bounds upper bounds of the buckets, ascending; what is above them counts as well */
  constructor(private readonly bounds: readonly number[]) {
    this.counts = new Array<number>(bounds.length + 1).fill(0);
  }

  observe(value: number): void {
    this.sum += value;
    let at = 0;
    while (at < this.bounds.length && value > this.bounds[at]!) at += 1;
    this.counts[at]! += 1;
  }

  samples(labels: Readonly<Record<string, string>> = {}): Sample[] {
    let total = 0;
    const buckets = this.counts.map((count, at) => {
      const le = at < this.bounds.length ? String(this.bounds[at]) : '+Inf';
      return { suffix: '_bucket', labels: { ...labels, le }, value: (total += count) };
    });
    return [...buckets, { suffix: '_sum', labels, value: this.sum }, { suffix: '_count', labels, value: total }];
  }
}
