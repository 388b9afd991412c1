import fc from 'fast-check';
import { ExactNumber, parseExact, stringifyExact } from './exact-json.js';

describe('exact JSON', () => {
  it.each([
    '{"order":9007199254740993}',
    '[0.1,1e21,-0.5,12345678901234567890.125,1E400,-0]',
    '{"a":{"b":[true,null,"9007199254740993"]}}',
    '{"eur":149.00,"rate":1.0}',
    '{"__proto__":{"n":9007199254740993},"constructor":1e999}',
    '9007199254740993',
  ])('keeps %s', (text) => {
    expect(stringifyExact(parseExact(text))).toBe(text);
  });

  it('reads what the server counts as ordinary numbers', () => {
    expect(parseExact('{"a":1.5,"b":100,"c":0.1,"d":1e-7,"e":-3}')).toEqual({ a: 1.5, b: 100, c: 0.1, d: 1e-7, e: -3 });
  });

  it('still counts with the others', () => {
    const { a } = parseExact('{"a":1.50}') as { a: ExactNumber };
    expect([Number(a) + 1, `${a.toString()}`]).toEqual([2.5, '1.50']);
  });

  it('keeps every number in every place', () => {
    fc.assert(
      fc.property(
        fc.bigInt(),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.string(),
        (big, double, name) => {
          const text = `{${JSON.stringify(name)}:[${big},${double.toFixed(20)},${JSON.stringify(`"${big}`)}]}`;
          expect(stringifyExact(parseExact(text))).toBe(text);
        },
      ),
    );
  });

  it.each(['{"a":00000000000000000001}', '[1e5.5]', '{"a":9007199254740993', '[9007199254740993,]', '1.'])(
    'refuses %s',
    (text) => expect(() => parseExact(text)).toThrow(SyntaxError),
  );

  it('takes any depth', () => {
    const depth = 100_000;
    expect(parseExact(`${'['.repeat(depth)}9007199254740993${']'.repeat(depth)}`)).toBeInstanceOf(Array);
  });
});
