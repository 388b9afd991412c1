import { placesOf, rangesText } from './places.js';

describe('Places', () => {
  it('are read in their order', () => {
    expect(placesOf('')).toEqual([]);
    expect(placesOf('0,10,6-9,11')).toEqual([0, 10, 6, 7, 8, 9, 11]);
  });

  it('are written as few ranges, each place once', () => {
    expect(rangesText([])).toBe('');
    expect(rangesText([4, 0, 1, 2, 2, 7, 8])).toBe('0-2,4,7-8');
  });
});
