import fc from 'fast-check';
import {
  addPlace,
  commonPlaces,
  countPlaces,
  firstPlaces,
  formatRanges,
  parseRanges,
  placesOf,
  type Range,
} from './ranges.js';

describe('ranges of places', () => {
  it.each(['', '0', '0-59', '0-59,64-70', '3,5,7-9'])('reads back what it wrote: "%s"', (text) => {
    expect(formatRanges(parseRanges(text))).toBe(text);
  });

  it('widens the last range with the next place and begins a new one behind a gap', () => {
    const ranges: Range[] = [];
    for (const place of [0, 1, 2, 7, 8, 20]) addPlace(ranges, place);
    expect(formatRanges(ranges)).toBe('0-2,7-8,20');
    expect(countPlaces(ranges)).toBe(6);
    expect([...placesOf(ranges)]).toEqual([0, 1, 2, 7, 8, 20]);
  });

  it('cuts after a number of places, within a range or between two', () => {
    const ranges = parseRanges('0-2,7-8');
    expect(formatRanges(firstPlaces(ranges, 0))).toBe('');
    expect(formatRanges(firstPlaces(ranges, 2))).toBe('0-1');
    expect(formatRanges(firstPlaces(ranges, 4))).toBe('0-2,7');
    expect(formatRanges(firstPlaces(ranges, 9))).toBe('0-2,7-8');
  });

  it.each([
    ['0-5', '0-9', 6],
    ['0-5,8-9', '0-5,8-12', 8],
    ['0-5,8-9', '0-5,9-12', 6],
    ['0-5,8', '0-7', 6],
    ['1-5', '0-9', 0],
    ['', '0-9', 0],
  ])('%s and %s begin with the same %i places', (a, b, common) => {
    expect(commonPlaces(parseRanges(a), parseRanges(b))).toBe(common);
  });

  it('are written and read exactly, whatever was written and read before', () => {
    const plain = (ranges: readonly Range[]) =>
      ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',');
    const step = fc.record({
      cut: fc.nat(700),
      added: fc.array(fc.nat(99), { maxLength: 3 }),
      isInPlace: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        let ranges: Range[] = scattered(600);
        for (const { cut, added, isInPlace } of steps) {
          if (!isInPlace) ranges = firstPlaces(ranges, cut);
          for (const place of added) addPlace(ranges, 5_000 + place);
          const text = formatRanges(ranges);
          expect(text).toBe(plain(ranges));
          const read = parseRanges(text);
          expect(read).toEqual(ranges);
          // A caller may change the list it got without affecting others.
          addPlace(read, 9_000);
          expect(parseRanges(text)).toEqual(ranges);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('of which there are many are not all looked at again for a few more', () => {
    let looks = 0;
    const watched = scattered(5_000).map(
      (range) =>
        new Proxy(range, {
          get: (target, name) => {
            if (name === '0') looks += 1;
            return Reflect.get(target, name) as unknown;
          },
        }),
    );
    const first = formatRanges(watched);
    looks = 0;
    let text = '';
    for (let place = 20_000; place < 20_100; place += 2) {
      const ranges = watched.slice();
      addPlace(ranges, place);
      text = formatRanges(ranges);
    }
    expect(text).toBe(`${first},20098`);
    expect(looks).toBeLessThan(5_000);
    const read = parseRanges(text);
    expect(parseRanges(text)[0]).toBe(read[0]);
    expect(firstPlaces(read, 4_000)[0]).toBe(read[0]);
  });
});

function scattered(count: number): Range[] {
  return Array.from({ length: count }, (_, n) => [2 * n, 2 * n] as const);
}
