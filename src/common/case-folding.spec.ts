import { foldCase, variantsOf } from './case-folding.js';

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
