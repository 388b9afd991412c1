import { parseExact, stringifyExact } from './exact-json.js';

describe('exact JSON', () => {
  it.each([
    '{"order":9007199254740993}',
    '[0.1,1e21,-0.5,12345678901234567890.125]',
    '{"a":{"b":[true,null,"9007199254740993"]}}',
  ])('keeps %s in browsers that can', (text) => {
    if (!('rawJSON' in JSON)) return;
    expect(stringifyExact(parseExact(text))).toBe(text);
  });

  it('reads ordinary numbers as numbers', () => {
    expect(parseExact('{"a":1.50,"b":100,"c":1e2}')).toEqual({ a: 1.5, b: 100, c: 100 });
  });
});
