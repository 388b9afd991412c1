import fc from 'fast-check';
import { parseRanges, placesOf } from '../journal/ranges.js';
import { indexesOf, placesAt, united, without, type Ranges } from './range-sets.js';

/** Ranges in rising order, some of them side by side. */
const anyRanges = fc.array(fc.tuple(fc.nat(4), fc.nat(4)), { maxLength: 8 }).map((steps) => {
  let at = 0;
  return steps.map(([gap, length]) => {
    const from = at + gap;
    at = from + length + 1;
    return [from, from + length] as const;
  });
});

const list = (ranges: Ranges) => [...placesOf(ranges)];

describe('Ranges', () => {
  it.each([
    ['0-5', '', '0-5'],
    ['0-5', '0-3', '4-5'],
    ['0-5', '2', '0-1,3-5'],
    ['0-2,5-9', '1-6', '0,7-9'],
    ['4-6', '0-9', ''],
  ])('%s without %s are %s', (ranges, others, rest) => {
    expect(without(parseRanges(ranges), parseRanges(others))).toEqual(parseRanges(rest));
  });

  it('without others hold exactly what the others do not', () => {
    fc.assert(
      fc.property(anyRanges, anyRanges, (ranges, others) => {
        const gone = new Set(list(others));
        expect(list(without(ranges, others))).toEqual(list(ranges).filter((place) => !gone.has(place)));
      }),
    );
  });

  it('united hold every place of either once, in order', () => {
    fc.assert(
      fc.property(anyRanges, anyRanges, (ranges, others) => {
        const all = new Set([...list(ranges), ...list(others)]);
        expect(list(united(ranges, others))).toEqual([...all].sort((a, b) => a - b));
      }),
    );
  });

  it('tell at which indexes some of their places stand', () => {
    fc.assert(
      fc.property(anyRanges, anyRanges, (places, others) => {
        const wanted = without(places, others);
        const indexes = list(places).flatMap((place, index) => (list(wanted).includes(place) ? [index] : []));
        expect(list(indexesOf(places, wanted))).toEqual(indexes);
      }),
    );
  });

  it('tell which places stand at some indexes, as far as there are any', () => {
    fc.assert(
      fc.property(anyRanges, anyRanges, (places, indexes) => {
        const at = list(places);
        const expected = list(indexes)
          .filter((index) => index < at.length)
          .map((index) => at[index]);
        expect(list(placesAt(places, indexes))).toEqual(expected);
      }),
    );
  });
});
