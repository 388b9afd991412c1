import fc from 'fast-check';
import { parseExactJson } from './exact-json.js';

/** JSON of a value with big integers. @param isQuoted whether a number becomes a string */
function jsonOf(value: unknown, isQuoted: (digits: string) => boolean): string {
  const isNumber = typeof value === 'bigint' || typeof value === 'number';
  if (isNumber) return isQuoted(String(value)) ? `"${value}"` : String(value);
  if (Array.isArray(value)) return `[${value.map((one) => jsonOf(one, isQuoted)).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${jsonOf(one, isQuoted)}`);
  return `{${members.join(' , ')}}`;
}

describe('JSON of others', () => {
  it('is read as by JSON.parse, as long as no integer is long', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), fc.constantFrom(undefined, 2), (value, space) => {
        const text = JSON.stringify(value, null, space);
        if (/\d{16}/.test(text)) return;
        expect(parseExactJson(Buffer.from(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it('keeps long integers as strings, digit by digit', () => {
    const text = '{"a":9007199254740993,"b":[-1234567890123456789],"c":123456789012345,"d": 9999999999999999 }';
    const expected = { a: '9007199254740993', b: ['-1234567890123456789'], c: 123456789012345, d: '9999999999999999' };
    expect(parseExactJson(text)).toEqual(expected);
  });

  it('is the same JSON, with long integers in quotes, wherever they stand', () => {
    const integer = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
    const leaf = fc.oneof(integer, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.string(), fc.boolean());
    const { tree } = fc.letrec<{ tree: unknown; leaf: unknown }>((tie) => ({
      tree: fc.oneof({ depthSize: 'small' }, leaf, fc.array(tie('tree')), fc.dictionary(fc.string(), tie('tree'))),
      leaf,
    }));
    const isLong = (digits: string) => /^-?\d{16,}$/.test(digits);
    fc.assert(
      fc.property(tree, (value) => {
        expect(parseExactJson(jsonOf(value, () => false))).toEqual(JSON.parse(jsonOf(value, isLong)));
      }),
    );
  });

  it('leaves fractions, and digits within strings, alone', () => {
    const text =
      '{"a":0.1234567890123456789,"b":1e-1234567890123456,"c":"12345678901234567890","d":"\\"12345678901234567890"}';
    expect(parseExactJson(text)).toEqual(JSON.parse(text));
    expect(parseExactJson('12345678901234567890.5')).toBe(Number('12345678901234567890.5'));
  });

  it.each(['', '{', '{"a":1}}', '"\\"', '00000000000000000', '[1,]', 'x'.repeat(20)])(
    'does not take %j for JSON',
    (text) => {
      expect(parseExactJson(text)).toBeUndefined();
    },
  );

  it('is read to a hundred levels, not deeper', () => {
    expect(parseExactJson('['.repeat(100) + ']'.repeat(100))).toBeDefined();
    expect(parseExactJson('['.repeat(101) + ']'.repeat(101))).toBeUndefined();
    expect(parseExactJson(`["${'['.repeat(200)}"]`)).toBeDefined();
  });

  it('must be UTF-8; a byte order mark does no harm', () => {
    expect(parseExactJson(Buffer.from([0x22, 0xff, 0x22]))).toBeUndefined();
    expect(parseExactJson(Buffer.from('\ufeff{"a":1}'))).toEqual({ a: 1 });
  });
});
