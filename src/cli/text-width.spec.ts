import { truncate, padEnd, textWidth, wrapLines } from './text-width.js';

describe('Text in columns', () => {
  it.each([
    ['abc', 3],
    ['naïve – …', 9],
    ['日本', 4],
    ['😀👩‍👩‍👧', 4],
    ['❤️', 2],
    ['e\u0301', 1],
    ['한국', 4],
  ])('%s takes %i', (text, width) => {
    expect(textWidth(text)).toBe(width);
    expect(textWidth(padEnd(text, 12))).toBe(12);
  });

  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab…'],
    ['😀😀😀', 4, '😀…'],
    ['日本語', 6, '日本語'],
    ['abc', 0, '…'],
  ])('%s is cut to %i', (text, width, shown) => {
    expect(truncate(text, width)).toBe(shown);
  });

  it.each([
    ['one two three', 7, ['one two', 'three']],
    ['one two three', 8, ['one two', 'three']],
    ['onetwothree', 4, ['onet', 'woth', 'ree']],
    ['  indented text here', 12, ['  indented', 'text here']],
    ['日本語日本語', 5, ['日本', '語日', '本語']],
    ['a\n\nb', 5, ['a', '', 'b']],
    ['', 5, ['']],
    ['x'.repeat(9), 0, ['xx', 'xx', 'xx', 'xx', 'x']],
  ])('%j is wrapped at %i', (text, width, lines) => {
    expect([...wrapLines(text, width)]).toEqual(lines);
  });

  it('is not wrapped where there is no width', () => {
    expect([...wrapLines('x '.repeat(500))]).toEqual(['x '.repeat(500)]);
  });
});
