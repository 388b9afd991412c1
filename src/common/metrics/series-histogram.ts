type Labels = Readonly<Record<string, string>>;

interface Sample {
  metricName: string;
  labels: Labels;
  value: number;
}

export class HistogramSeries {
  /** Observations per bucket, not cumulative; the last bucket has no upper bound. */
  private readonly counts: number[];
  private sum = 0;

  constructor(
    readonly labels: Labels,
    private readonly bounds: readonly number[],
  ) {
    this.counts = new Array<number>(bounds.length + 1).fill(0);
  }

  observe(value: number): void {
    let bucket = 0;
    while (bucket < this.bounds.length && value > this.bounds[bucket]!) bucket += 1;
    this.counts[bucket]! += 1;
    this.sum += value;
  }

  /** In the text format buckets are cumulative. */
  samples(name: string): Sample[] {
    let count = 0;
    const buckets = this.counts.map((inBucket, at) => {
      const labels = { le: String(this.bounds[at] ?? '+Inf'), ...this.labels };
      return { metricName: `${name}_bucket`, labels, value: (count += inBucket) };
    });
    const sum = { metricName: `${name}_sum`, labels: this.labels, value: this.sum };
    return [...buckets, sum, { metricName: `${name}_count`, labels: this.labels, value: count }];
  }
}

/**
 * A histogram whose caller keeps the series that it observes. The library looks each series up by the text of all its labels, which took
 * a twentieth of a small request.
 */
export class SeriesHistogram {
  private readonly series: HistogramSeries[] = [];

  /** @param name with its base unit @param bounds upper bounds of the buckets, increasing */
  constructor(
    readonly name: string,
    readonly help: string,
    private readonly bounds: readonly number[],
  ) {}

  /** A new series. Each combination of labels may be opened once. */
  open(labels: Labels): HistogramSeries {
    const series = new HistogramSeries(labels, this.bounds);
    this.series.push(series);
    return series;
  }

  /** What the library's registry reads from a metric. */
  get(): object {
    const { name, help } = this;
    return { name, help, type: 'histogram', values: this.series.flatMap((one) => one.samples(name)) };
  }
}
