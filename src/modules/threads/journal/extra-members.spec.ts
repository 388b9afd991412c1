import { amendedExtra, extraText } from './extra-members.js';

describe('members that the contract does not know', () => {
  it('are stored as JSON text without braces', () => {
    expect(extraText([])).toBeNull();
    expect(
      extraText([
        { name: '"a"', value: '1' },
        { name: '"b"', value: '{"c": "}"}' },
      ]),
    ).toBe('"a":1,"b":{"c": "}"}');
  });

  it('are amended by those of a later event, equal names replaced', () => {
    const stored = extraText([
      { name: '"a"', value: '[1,{"x":","}]' },
      { name: '"b,\\""', value: '"\\\\"' },
      { name: '"c"', value: '12345678901234567890' },
    ]);
    expect(amendedExtra(stored, [])).toBe(stored);
    expect(amendedExtra(null, [{ name: '"d"', value: '4' }])).toBe('"d":4');
    const amended = amendedExtra(stored, [{ name: '"a"', value: '2' }]);
    expect(amended).toBe('"b,\\"":"\\\\","c":12345678901234567890,"a":2');
  });
});
