import fc from 'fast-check';
import { formatRanges, parseRanges, placesOf } from './ranges.js';
import { indexesOutside, placesAt, setOf, withPlaces, type Places } from './range-sets.js';

/** Places in any order, some of them twice. */
const anyPlaces = fc.array(
  fc.tuple(fc.nat(30), fc.nat(4)).map(([from, length]) => [from, from + length] as const),
  { maxLength: 8 },
);

const list = (places: Places) => [...placesOf(places)];

describe('Places', () => {
  it.each([
    ['0-5', '', '0-5'],
    ['0-5', '0-3', '4-5'],
    ['0-5', '2', '0-1,3-5'],
    ['0,60,50-59,61', '0-59', '1,12'],
    ['4-6', '0-9', ''],
  ])('of %s stand outside %s at the indexes %s', (places, set, indexes) => {
    expect(formatRanges(indexesOutside(parseRanges(places), parseRanges(set)))).toBe(indexes);
  });

  it('form a set: each once, in order, in as few ranges as possible', () => {
    fc.assert(
      fc.property(anyPlaces, anyPlaces, (places, others) => {
        const set = setOf(places, others);
        expect(list(set)).toEqual([...new Set([...list(places), ...list(others)])].sort((a, b) => a - b));
        expect(set.every(([from], i) => i === 0 || from > set[i - 1]![1] + 1)).toBe(true);
      }),
    );
  });

  it.each([8, 40])('are added to a set, up to %i ranges at once', (maxLength) => {
    const many = fc.array(
      fc.tuple(fc.nat(100), fc.nat(2)).map(([from, length]) => [from, from + length] as const),
      { maxLength },
    );
    fc.assert(
      fc.property(many, many, (places, others) => {
        expect(withPlaces(setOf(places), others)).toEqual(setOf(places, others));
      }),
    );
  });

  it('are found outside a set in the order of the list', () => {
    fc.assert(
      fc.property(anyPlaces, anyPlaces, (places, others) => {
        const isKnown = new Set(list(others));
        const expected = list(places).flatMap((place, index) => (isKnown.has(place) ? [] : [index]));
        expect(list(indexesOutside(places, setOf(others)))).toEqual(expected);
      }),
    );
  });

  it('are found at indexes, as far as there are any', () => {
    fc.assert(
      fc.property(anyPlaces, anyPlaces, (places, indexes) => {
        const at = list(places);
        const rising = setOf(indexes);
        const expected = list(rising).filter((index) => index < at.length);
        expect(list(placesAt(places, rising))).toEqual(expected.map((index) => at[index]));
      }),
    );
  });
});
