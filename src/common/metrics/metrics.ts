import { Counter, Gauge, Registry, type Histogram, type Metric } from 'prom-client';
import type { SeriesHistogram } from './series-histogram.js';

export interface Reading {
  /** Labels have few values and never ids: every combination is a time series. */
  labels: Record<string, string>;
  value: number;
}

/** A metric created by its user; library metrics need `registers: []`. */
type OwnMetric = Counter<string> | Histogram<string> | SeriesHistogram;

type GaugeValue = number | null | Reading[];

/** Seconds, from responses out of memory to responses that people complain about. */
export const LATENCY_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** All metrics of a server. Each server has its own registry, because tests run several in one process. */
export class Metrics {
  private readonly registry = new Registry();

  /**
   * Adds a gauge that is read at each scrape.
   * @param name with its base unit
   * @param read must not fail; null leaves the gauge out
   * @param labelNames of the readings; a plain number has none
   * @throws Error when the name is taken
   */
  gauge(name: string, help: string, read: () => GaugeValue | Promise<GaugeValue>, labelNames: string[] = []): void {
    const gauge: Gauge = new Gauge({
      name,
      help,
      labelNames,
      registers: [this.registry],
      collect: async () => {
        const found = await read();
        gauge.reset();
        if (typeof found === 'number') gauge.set(found);
        else if (found === null)
          gauge.remove(); // `reset` would leave a 0
        else for (const { labels, value } of found) gauge.set(labels, value);
      },
    });
  }

  /**
   * Adds a counter whose value the caller keeps.
   * @param name ends in `_total`
   * @param labelNames of the readings; a plain number has none
   * @throws Error when the name is taken
   */
  counter(name: string, help: string, read: () => number | Reading[], labelNames: string[] = []): void {
    const counter: Counter = new Counter({
      name,
      help,
      labelNames,
      registers: [this.registry],
      collect: () => {
        counter.reset();
        const found = read();
        if (typeof found === 'number') counter.inc(found);
        else for (const { labels, value } of found) counter.inc(labels, value);
      },
    });
  }

  /** @throws Error when a name is taken */
  add(...metrics: OwnMetric[]): void {
    // The registry only uses a metric's name and `get()`.
    for (const metric of metrics) this.registry.registerMetric(metric as Metric);
  }

  /** Prometheus text format 0.0.4. */
  render(): Promise<string> {
    return this.registry.metrics();
  }
}
