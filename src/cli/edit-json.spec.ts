import { indentJson } from './edit-json.js';

describe('JSON for people to edit', () => {
  it.each([
    { a: [1, { b: 'x: {"[,]}\\' }], c: {}, d: [], e: null, f: [[], {}] },
    'text with "quotes"',
    [],
    {},
    [[1], [2, [3]]],
    { '': '' },
  ])('is what JSON.stringify would make of it: %j', (value) => {
    expect(indentJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
    expect(indentJson(JSON.stringify(value, null, 7))).toBe(JSON.stringify(value, null, 2));
  });

  it('keeps numbers as they are written', () => {
    expect(indentJson('{"a":12345678901234567890,"b":1.10e5}')).toBe(
      '{\n  "a": 12345678901234567890,\n  "b": 1.10e5\n}',
    );
  });
});
