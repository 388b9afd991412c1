import { knownEtagsOf } from './known-etags.js';

describe('The ETags of a caller', () => {
  it.each([
    ['"x-1"', ['"x-1"']],
    ['W/"x-1"', ['"x-1"']],
    ['w/"x-1"', ['"x-1"']],
    ['"x-1-gzip"', ['"x-1"']],
    ['"x-1--gzip"', ['"x-1"']],
    ['W/"x-1-br"', ['"x-1"']],
    ['"x-1-gzip-gzip"', ['"x-1"']],
    ['"x-1;gzip"', ['"x-1;gzip"']],
    ['x-1', ['"x-1"']],
    ['*', ['*']],
    ['"a" , W/"b-zstd",\t"c"', ['"a"', '"b"', '"c"']],
    ['', null],
    [undefined, null],
  ])('%j are %j as this server knows them', (header, known) => {
    expect(knownEtagsOf(header)).toEqual(known);
  });
});
