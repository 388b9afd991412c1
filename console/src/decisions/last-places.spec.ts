import { lastPlaces } from './last-places.js';

describe('The last places of a history', () => {
  it.each([
    ['0-59,64', 3, '58-59,64'],
    ['0-59', 3, '57-59'],
    ['4', 3, '4'],
    ['0,10,6-7,11', 4, '10,6-7,11'],
    ['', 3, ''],
  ])('of %j, %s of them, are %j', (places, count, last) => expect(lastPlaces(places, count)).toBe(last));
});
