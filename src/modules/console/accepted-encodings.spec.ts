import { acceptedEncodings } from './accepted-encodings.js';

describe('The encodings that a reader takes', () => {
  it.each([
    [undefined, [null]],
    ['', [null]],
    ['gzip, deflate, br, zstd', ['br', 'gzip', null]],
    ['gzip, deflate', ['gzip', null]],
    ['BR;q=0.1, gzip;q=1', ['br', 'gzip', null]],
    ['br;q=0, gzip', ['gzip', null]],
    ['br; q=0.000, *', ['gzip', null]],
    ['*', ['br', 'gzip', null]],
    ['*;q=0, gzip;q=0.5', ['gzip', null]],
    ['brotli, gzipped', [null]],
    ['br;q=nonsense', [null]],
  ])('of %j are %j', (header, encodings) => expect(acceptedEncodings(header)).toEqual(encodings));
});
