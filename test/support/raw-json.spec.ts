import fc from 'fast-check';
import { rawAt, rawElements, rawMembers } from './raw-json.js';

describe('Splitting JSON without reading it', () => {
  it('keeps the digits and the spelling of every part', () => {
    const text = ' {"a": 12345678901234567890 ,"b":[1.10, "x,]}\\"", {"c":{}}], "\\u0065":null} ';
    expect(rawAt(text, 'a')).toBe('12345678901234567890');
    expect(rawElements(rawAt(text, 'b') ?? '')).toEqual(['1.10', '"x,]}\\""', '{"c":{}}']);
    expect(rawAt(text, 'b', 2, 'c')).toBe('{}');
    expect(rawAt(text, 'e')).toBe('null');
    expect(rawAt(text, 'nothing', 'there')).toBeUndefined();
    expect([rawElements('[]'), [...rawMembers('{}')]]).toEqual([[], []]);
  });

  it('agrees with JSON.parse', () => {
    const anything = fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()));
    fc.assert(
      fc.property(anything, fc.nat(2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const back = Array.isArray(value)
          ? rawElements(text).map((part) => JSON.parse(part) as unknown)
          : Object.fromEntries([...rawMembers(text)].map(([key, part]) => [key, JSON.parse(part) as unknown]));
        expect(back).toEqual(JSON.parse(text));
      }),
    );
  });
});
