import { trimEndOf } from './trim-end.js';

describe('The end of a text', () => {
  it.each([
    ['http://host//', 'http://host'],
    ['/a/b', '/a/b'],
    ['///', ''],
    ['', ''],
  ])('%j loses its slashes', (text, trimmed) => {
    expect(trimEndOf(text, '/')).toBe(trimmed);
  });
});
