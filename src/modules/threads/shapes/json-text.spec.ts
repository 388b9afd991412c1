import fc from 'fast-check';
import { compactJson, cutText, numberOf, parseJson } from './json-text.js';

describe('JSON text of messages', () => {
  it.each([
    ['an integer above 2^53', '{"id":9007199254740993}'],
    ['a negative one in a list', '[-123456789012345678901,1]'],
    ['a decimal with more digits than a double holds', '{"rate":0.12345678901234567891}'],
    ['a number too large for a double', '[1e999]'],
    ['a number too small for a double', '[1e-999]'],
    ['a bare number', '12345678901234567890'],
    [
      'digits inside a string with quotes and backslashes',
      '{"a":"\\\\\\"12345678901234567890\\\\","b":12345678901234567890}',
    ],
  ])('keeps %s', (_what, text) => {
    expect(compactJson(parseJson(text))).toBe(text);
  });

  it('writes what JSON.stringify writes for every value that a double holds', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(compactJson(parseJson(text))).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  it('keeps the digits of every big integer, wherever it stands', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.string(), (number, name) => {
        const text = `{${JSON.stringify(name)}:[${number},${JSON.stringify(`${number}`)}]}`;
        expect(compactJson(parseJson(text))).toBe(text);
      }),
    );
  });

  it('bounds the memory that a message of inexact numbers takes', () => {
    const value = parseJson(`[${'1e999,'.repeat(20_000)}1]`);
    expect(compactJson(value)).toBe(`[${'1e999,'.repeat(10_000)}${'null,'.repeat(10_000)}1]`);
  });

  it('names a value that is nested too deeply to be written', () => {
    const depth = 200_000;
    expect(compactJson(parseJson('['.repeat(depth) + ']'.repeat(depth)))).toBe('[JSON nested too deeply to show]');
  });

  it('reads numbers that are kept as text', () => {
    expect(numberOf(parseJson('0.12345678901234567891'))).toBeCloseTo(0.123456789);
    expect(numberOf(parseJson('"1"'))).toBeUndefined();
  });

  it('cuts long text, but no character in half', () => {
    expect(cutText('abc', 3)).toBe('abc');
    expect(cutText('abcd', 3)).toBe('abc…');
    expect(cutText('ab😀d', 3)).toBe('ab…');
  });
});
