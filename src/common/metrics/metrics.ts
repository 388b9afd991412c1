import type { Awaitable } from '../awaitable.js';

export interface Sample {
  /** What stands behind the family's name: `_bucket`, `_sum`, `_count`. */
  suffix?: string;
  /** Few values each, and never an id: every combination is a time series. */
  labels?: Readonly<Record<string, string>>;
  value: number;
}

/** A metric as https://prometheus.io/docs/concepts/data_model has it. */
export interface MetricFamily {
  /** In base units, with `_total` for counters. */
  name: string;
  help: string;
  type: 'counter' | 'gauge' | 'histogram';
  /** What it is now. Must not fail; what cannot be known is left out. */
  samples(): Awaitable<Iterable<Sample>>;
}

/** All metrics of the process. */
export class Metrics {
  private readonly families = new Map<string, MetricFamily>();

  /** @throws Error when the name is taken */
  add(...families: MetricFamily[]): void {
    for (const family of families) {
      if (this.families.has(family.name)) throw new Error(`There is a metric ${family.name} already.`);
      this.families.set(family.name, family);
    }
  }

  /** Prometheus text format 0.0.4, sorted by name. */
  async render(): Promise<string> {
    const sorted = [...this.families.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    const parts = await Promise.all(
      sorted.map(async (family) => {
        const { name, help, type } = family;
        const lines = [...(await family.samples())].map((sample) => sampleLine(name, sample));
        return `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n${lines.join('')}`;
      }),
    );
    return parts.join('');
  }
}

/** A gauge that is asked for its value, which stands for itself or for some labels. */
export function gauge(name: string, help: string, read: () => Awaitable<number | null | Sample[]>): MetricFamily {
  return { name, help, type: 'gauge', samples: async () => asSamples(await read()) };
}

/** The same for a number that somebody else counts up. */
export function countedElsewhere(name: string, help: string, read: () => number | Sample[]): MetricFamily {
  return { name, help, type: 'counter', samples: () => asSamples(read()) };
}

function asSamples(found: number | null | Sample[]): Sample[] {
  if (found === null) return [];
  return typeof found === 'number' ? [{ value: found }] : found;
}

function sampleLine(name: string, { suffix = '', labels = {}, value }: Sample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text).replaceAll('"', '\\"')}"`);
  return `${name}${suffix}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${numberText(value)}\n`;
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  return Number.isFinite(value) ? String(value) : value > 0 ? '+Inf' : '-Inf';
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}
