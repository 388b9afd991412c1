import { LongText } from '../../../../common/long-text.js';
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

  it('are handed over as bytes where one is long, in few pieces', () => {
    const long = (text: string) => LongText.inParts([Buffer.from(text)]);
    const one = extraText([
      { name: '"a"', value: '1' },
      { name: '"b"', value: long('[2]') },
      { name: '"c"', value: '3' },
    ]) as LongText;
    expect(one.parts.map(String)).toEqual(['"a":1,"b":', '[2]', ',"c":3']);
    const many = Array.from({ length: 9 }, (_, n) => ({ name: `"${n}"`, value: long(String(n)) }));
    const { parts } = extraText(many) as LongText;
    expect(parts.map(String)).toEqual(['"0":0,"1":1,"2":2,"3":3,"4":4,"5":5,"6":6,"7":7,"8":8']);
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
    expect(amendedExtra('"x":{"a":1}', [{ name: '"a"', value: '2' }])).toBe('"x":{"a":1},"a":2');
    expect(amendedExtra('"x":1', [{ name: '"y"', value: '2' }])).toBe('"x":1,"y":2');
    const long = (text: string) => LongText.inParts([Buffer.from(text)]);
    expect(String(amendedExtra(long('"x":1'), [{ name: '"y"', value: '2' }]))).toBe('"x":1,"y":2');
    expect(String(amendedExtra('"x":1', [{ name: '"y"', value: long('2') }]))).toBe('"x":1,"y":2');
  });
});
