import fc from 'fast-check';
import { Histogram } from 'prom-client';
import { parseMetrics, seriesOf } from '../../../test/support/prometheus.js';
import { CachedReading } from './cached-reading.js';
import { Metrics } from './metrics.js';
import { SeriesHistogram } from './series-histogram.js';

describe('Metrics', () => {
  it('are written so that a strict reader understands them, whatever stands in the labels', async () => {
    const metrics = new Metrics();
    const odd = 'back\\slash "quoted"\nnext line {a="b"} \u00e4';
    const histogram = new Histogram({
      name: 'took_seconds',
      help: 'Time.',
      labelNames: ['route'],
      buckets: [0.1, 1],
      registers: [],
    });
    for (const value of [0.05, 0.1, 0.5, 7]) histogram.observe({ route: '/x' }, value);
    metrics.add(histogram);
    metrics.gauge('a_gauge', 'Two lines\nand a \\ in it.', () => [{ labels: { odd }, value: -1.5e-7 }], ['odd']);
    metrics.gauge('unknown', 'What cannot be known is left out.', () => null);
    metrics.gauge('endless', 'Not a number that ends.', () => Infinity);
    metrics.counter('things_total', 'Things.', () => 12345678901234);
    const read = parseMetrics(await metrics.render());
    expect(read.get('a_gauge')?.samples).toEqual([{ name: 'a_gauge', labels: { odd }, value: -1.5e-7 }]);
    expect(read.get('unknown')?.samples).toEqual([]);
    expect(seriesOf(read, 'endless')).toBe(Infinity);
    expect(seriesOf(read, 'things_total')).toBe(12345678901234);
    const buckets = ['0.1', '1', '+Inf'].map((le) => seriesOf(read, 'took_seconds_bucket', { le, route: '/x' }));
    expect(buckets).toEqual([2, 3, 4]);
    expect(seriesOf(read, 'took_seconds_sum')).toBeCloseTo(7.65);
  });

  it('are the same with series that are looked up once', async () => {
    const [name, help, bounds] = ['took_seconds', 'Time.', [0.1, 1, 10]] as const;
    const values = fc.array(fc.oneof(fc.constantFrom(...bounds, 0), fc.double({ min: 0, max: 20, noNaN: true })));
    const isSame = fc.asyncProperty(fc.dictionary(fc.constantFrom('/a', '/b'), values), async (byRoute) => {
      const [ours, theirs] = [new Metrics(), new Metrics()];
      const own = new SeriesHistogram(name, help, bounds);
      const other = new Histogram({ name, help, labelNames: ['route'], buckets: [...bounds], registers: [] });
      ours.add(own);
      theirs.add(other);
      for (const [route, all] of Object.entries(byRoute)) {
        if (all.length === 0) continue;
        const series = own.open({ route });
        for (const value of all) {
          series.observe(value);
          other.observe({ route }, value);
        }
      }
      expect(await ours.render()).toBe(await theirs.render());
    });
    await fc.assert(isSame);
  });

  it('count what is read, with labels or without', async () => {
    const metrics = new Metrics();
    const readings = [{ labels: { status: '2xx' }, value: 3 }];
    metrics.counter('answers_total', 'Answers.', () => readings, ['status']);
    await metrics.render();
    readings.push({ labels: { status: '5xx' }, value: 1 });
    const read = parseMetrics(await metrics.render());
    expect(['2xx', '5xx'].map((status) => seriesOf(read, 'answers_total', { status }))).toEqual([3, 1]);
  });

  it('have each name once', () => {
    const metrics = new Metrics();
    metrics.gauge('a', 'A.', () => 1);
    expect(() => metrics.gauge('a', 'A.', () => 1)).toThrow('already');
  });
});

describe('A reading of the storage', () => {
  it('is asked for once, however many want it, and a failure is none', async () => {
    let asked = 0;
    const reading = new CachedReading(60_000, async () => ++asked);
    expect(await Promise.all([reading.get(), reading.get()])).toEqual([1, 1]);
    expect(await reading.get()).toBe(1);
    const failing = new CachedReading(0, () => Promise.reject(new Error('away')));
    expect(await failing.get()).toBeNull();
  });
});
