/** A metric as a scraper reads it. */
export interface ScrapedFamily {
  type: string;
  help: string;
  samples: ScrapedSample[];
}

export interface ScrapedSample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const LABELS = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/;
const VALUE = /^([+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|Inf)|NaN)$/;
const SUFFIXES: Record<string, string[]> = { histogram: ['_bucket', '_sum', '_count'], counter: [''], gauge: [''] };

/**
 * Reads the Prometheus text format 0.0.4 as strictly as its specification allows: HELP and TYPE once each and before the samples, all lines
 * of a metric together, no duplicate series, cumulative buckets that end in `+Inf`.
 */
export function parseMetrics(text: string): Map<string, ScrapedFamily> {
  if (!text.endsWith('\n')) throw new Error('The last line must end.');
  const families = new Map<string, ScrapedFamily>();
  let current = '';
  for (const line of text.slice(0, -1).split('\n')) {
    if (line === '') continue;
    if (line.startsWith('#')) current = commentInto(families, current, line);
    else sampleInto(families.get(current), current, line);
  }
  for (const [name, family] of families) check(name, family);
  return families;
}

/** The value of one series; undefined if it does not exist. */
export function seriesOf(
  families: Map<string, ScrapedFamily>,
  name: string,
  labels: Record<string, string> = {},
): number | undefined {
  const family = families.get(name) ?? families.get(name.replace(/_(bucket|sum|count)$/, ''));
  const found = family?.samples.filter(
    (sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  );
  if (!found || found.length === 0) return undefined;
  return found.reduce((sum, { value }) => sum + value, 0);
}

/** @returns the name of the comment's metric */
function commentInto(families: Map<string, ScrapedFamily>, current: string, line: string): string {
  const [, keyword, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
  if (!NAME.test(name)) throw new Error(`No name: ${line}`);
  const known = families.get(name);
  if (keyword === 'HELP' ? known : name !== current || known?.type !== '') throw new Error(`Out of place: ${line}`);
  if (known) known.type = rest;
  else families.set(name, { type: '', help: rest, samples: [] });
  return name;
}

function sampleInto(family: ScrapedFamily | undefined, current: string, line: string): void {
  const [, name = '', labels, value = ''] = /^([^{\s]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  if (!family || !(SUFFIXES[family.type] ?? []).some((suffix) => name === current + suffix)) {
    throw new Error(`Not within its metric: ${line}`);
  }
  if (!VALUE.test(value)) throw new Error(`No value: ${line}`);
  family.samples.push({ name, labels: labelsOf(labels ?? '', line), value: Number(value.replace('Inf', 'Infinity')) });
}

function labelsOf(text: string, line: string): Record<string, string> {
  const labels: Record<string, string> = {};
  for (let rest = text; rest !== '';) {
    const [whole, name = '', value = ''] = LABELS.exec(rest) ?? [];
    if (whole === undefined || name in labels) throw new Error(`Bad labels: ${line}`);
    labels[name] = value.replaceAll(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char));
    rest = rest.slice(whole.length);
  }
  return labels;
}

function check(name: string, { type, samples }: ScrapedFamily): void {
  if (!(type in SUFFIXES)) throw new Error(`${name} has no type.`);
  if ((type === 'counter') !== name.endsWith('_total')) throw new Error(`${name} is not called as its type asks for.`);
  const keys = samples.map((sample) => JSON.stringify([sample.name, Object.entries(sample.labels).sort()]));
  if (new Set(keys).size !== keys.length) throw new Error(`${name} has a series twice.`);
  if (type === 'histogram') checkBuckets(name, samples);
}

function checkBuckets(name: string, samples: readonly ScrapedSample[]): void {
  const series = new Map<string, ScrapedSample[]>();
  for (const sample of samples) {
    const { le: _, ...labels } = sample.labels;
    const key = JSON.stringify(Object.entries(labels).sort());
    series.set(key, [...(series.get(key) ?? []), sample]);
  }
  for (const own of series.values()) {
    const buckets = own.filter((sample) => sample.name === `${name}_bucket`);
    const counts = buckets.map(({ value }) => value);
    const bounds = buckets.map(({ labels }) => Number(labels.le?.replace('Inf', 'Infinity')));
    const isAscending = (list: number[]) => list.every((value, at) => at === 0 || value >= list[at - 1]!);
    if (!isAscending(counts) || !isAscending(bounds) || bounds.at(-1) !== Infinity) throw new Error(`Buckets: ${name}`);
    if (own.find((sample) => sample.name === `${name}_count`)?.value !== counts.at(-1))
      throw new Error(`Count: ${name}`);
  }
}
