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
});
