import { matching, PLACES } from './finds.js';

describe('the search', () => {
  it('finds places by each of their words, and those that begin with the text first', () => {
    expect(matching(PLACES, 'thr').map(({ name }) => name)[0]).toBe('Threads');
    expect(matching(PLACES, 'errors').map(({ id }) => id)).toEqual(['failed']);
    expect(matching(PLACES, 'colours DARK').map(({ id }) => id)).toEqual(['dark']);
    expect(matching(PLACES, 'no such thing')).toEqual([]);
  });

  it('gives everything for an empty text', () => {
    expect(matching(PLACES, '  ')).toHaveLength(PLACES.length);
  });
});
