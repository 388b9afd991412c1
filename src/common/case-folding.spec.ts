import { compositionsOf, foldCase, foldSearch, foldSearched, variantsOf } from './case-folding.js';

describe('Case folding', () => {
  it.each([
    ['Refund', 'refund'],
    ['ÄRGER', 'ärger'],
    ['ПРИВЕТ', 'привет'],
    ['ΟΔΟΣ', 'οδοσ'],
    ['οδος', 'οδοσ'],
    ['Straße', 'straße'],
    ['STRAẞE', 'straße'],
    ['\u212aelvin ſ', 'kelvin s'],
    ['İıI', 'İıi'],
    ['𐐀𐐨', '𐐨𐐨'],
    ['漢字 😀 1', '漢字 😀 1'],
  ])('of %j is %j', (text, folded) => {
    expect(foldCase(text)).toBe(folded);
  });

  it('takes those letters for alike that Unicode does, and knows all of them', () => {
    for (let code = 0; code <= 0x1ffff; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const letter = String.fromCodePoint(code);
      const folded = foldCase(letter);
      if (folded === letter && letter.toLowerCase() === letter && letter.toUpperCase() === letter) continue;
      const alike = variantsOf(folded);
      if (!alike.includes(letter)) throw new Error(`U+${code.toString(16)} is missing`);
      const pattern = new RegExp(`^\\u{${code.toString(16)}}$`, 'iu');
      for (const other of alike) if (!pattern.test(other)) throw new Error(`${letter} is not ${other}`);
      const [small, large] = [letter.toLowerCase(), letter.toUpperCase()];
      for (const other of [small, large]) {
        if (pattern.test(other) && !alike.includes(other)) throw new Error(`${letter} should be ${other}`);
      }
    }
  });
});

describe('A searched text', () => {
  it.each(['café', 'ệ', 'Å', 'Йод', '한국어', 'パン', 'ø', 'x\u0302'])(
    '%s is found as one character or several',
    (text) => {
      for (const one of ['NFC', 'NFD'] as const) {
        for (const other of ['NFC', 'NFD'] as const) {
          const folded = foldSearched(`a ${text.normalize(one).toUpperCase()} b`);
          expect(folded.some((form) => form.includes(foldSearch(text.normalize(other))))).toBe(true);
        }
      }
    },
  );

  it('is put together step by step', () => {
    for (const letter of 'éệ한パЙ') {
      const composed = compositionsOf(letter).reduce(
        (text, [parts, whole]) => text.replaceAll(parts, whole),
        letter.normalize('NFD'),
      );
      expect(composed).toBe(letter);
    }
    expect(compositionsOf('ø')).toEqual([]);
  });
});
