import { printable, printableLines } from './printable.js';

describe('Text of a stranger', () => {
  it.each([
    ['é 日本 😀 {"a":1}', 'é 日本 😀 {"a":1}'],
    ['\u001b[2J\u0007', '\\u001b[2J\\u0007'],
    ['\u009b31m', '\\u009b31m'],
    ['{\r\n  "a": 1,\n\t"b": 2\n}', '{ "a": 1, "b": 2 }'],
    ['invoice\u202egpj.exe', 'invoice\\u202egpj.exe'],
    ['a\u200bb\ufeff\u2028', 'a\\u200bb\\ufeff\\u2028'],
    ['a  b', 'a  b'],
  ])('%j is shown on one line without anything that a terminal obeys', (text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  it('keeps its lines where it is shown on several', () => {
    expect(printableLines('a\r\n\tb\u001b[2J\u202e')).toBe('a\n  b\\u001b[2J\\u202e');
  });
});
