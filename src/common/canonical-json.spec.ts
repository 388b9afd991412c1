import * as fc from 'fast-check';
import { canonicalJson } from './canonical-json.js';

function canonical(text: string): string {
  return canonicalJson(Buffer.from(text), 'args');
}

/** Pairs of texts, and whether they have the same value. */
const ROWS: [sentence: string, one: string, other: string, isSame: boolean][] = [
  ['the order of members', '{"a":1,"b":[2]}', ' { "b" : [ 2 ] , "a" : 1 } ', true],
  ['the order of members within', '[{"x":{"b":1,"a":2}}]', '[{"x":{"a":2,"b":1}}]', true],
  ['not the order of elements', '[1,2]', '[2,1]', false],
  ['how a number is written', '1999', '1.99900e3', true],
  ['a fraction of zeros', '1', '1.0', true],
  ['the sign of zero', '0', '-0.0e5', true],
  ['not the last digit of a long number', '12345678901234567890', '12345678901234567891', false],
  ['how a long number is written', '12345678901234567890', '1.234567890123456789E+19', true],
  ['not a digit that a double loses', '0.1', '0.1000000000000000055511151231257827', false],
  ['not an exponent beyond doubles', '1e400', '1e401', false],
  ['an exponent beyond everything', '10e99999999999999999998', '1e99999999999999999999', true],
  ['zeros before an exponent', '1e+0000000000000000000000000005', '100000', true],
  ['how a string is escaped', '"\\u00e4\\/"', '"ä/"', true],
  ['how a name is escaped', '{"\\u0061":1}', '{"a":1}', true],
  ['not a number from its string', '"1"', '1', false],
  ['not null from nothing', '{"a":null}', '{}', false],
];

describe('The canonical form of JSON', () => {
  it.each(ROWS)('looks through %s', (_, one, other, isSame) => {
    expect(canonical(one) === canonical(other)).toBe(isSame);
  });

  it.each([
    ['{"a":1,"a":1}', 'args.a: is given twice'],
    ['{"b":[{"a":1,"\\u0061":2}]}', 'args.b[0].a: is given twice'],
    [`[1e-${'9'.repeat(1_000_000)}]`, 'args[0]: has an exponent of more than 20 digits'],
    [`${'['.repeat(2000)}${']'.repeat(2000)}`, 'has more than 1000 levels'],
  ])('does not exist for %.40s', (text, message) => {
    expect(() => canonical(text)).toThrow(message);
  });

  it('is JSON of the same value for whatever JSON.parse gives', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), (text) => {
        const value: unknown = JSON.parse(text);
        expect(JSON.parse(canonical(text))).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonical(canonical(text))).toBe(canonical(text));
        expect(canonical(JSON.stringify(value, null, 3))).toBe(canonical(JSON.stringify(value)));
      }),
    );
  });

  it('takes time in proportion to the zeros of a number', () => {
    const text = `1${'0'.repeat(500_000)}1`;
    expect(canonical(text)).toBe(`${text}e0`);
  });
});
