import { byteSize } from './amounts.js';

describe('A size for people', () => {
  it.each([
    [0, '0 bytes'],
    [21_400, '21400 bytes'],
    [868_352, '0.8 MiB'],
    [5 * 1024 * 1024, '5.0 MiB'],
  ])('of %i bytes is %s', (bytes, text) => {
    expect(byteSize(bytes)).toBe(text);
  });
});
