import fc from 'fast-check';
import { TextList } from './text-list.js';

/** Few different elements, so that they come again and again. */
const elements = fc.array(fc.constantFrom('1', '22', '"a"', '{"b":1}'), { maxLength: 12 });

function listOf(texts: readonly string[]): TextList {
  return TextList.join(texts.map((body) => ({ body, digest: null })));
}

function textsOf(list: TextList): string[] {
  return Array.from({ length: list.count }, (_, i) => list.text(i));
}

describe('The elements of a list', () => {
  it('are counted as far as two lists begin alike', () => {
    fc.assert(
      fc.property(elements, elements, elements, (both, mine, other) => {
        const common = listOf([...both, ...mine]).commonCount(listOf([...both, ...other]));
        expect(common).toBeGreaterThanOrEqual(both.length);
        expect([...both, ...mine].slice(0, common)).toEqual([...both, ...other].slice(0, common));
      }),
    );
  });

  it('are found again behind what was left out of a list', () => {
    fc.assert(
      fc.property(elements, elements, elements, (before, rest, more) => {
        const [mine, other] = [listOf([...rest, ...more]), listOf([...before, ...rest])];
        const start = mine.restIn(other, 0);
        if (start === -1) return;
        const found = textsOf(other).slice(start);
        expect(start).toBeGreaterThan(0);
        expect(textsOf(mine).slice(0, found.length)).toEqual(found);
      }),
    );
  });

  it('are found whatever stands before and behind them', () => {
    const other = listOf(['"system"', '1', '2', '3', '4']);
    expect(listOf(['3', '4', '5', '6']).restIn(other, 0)).toBe(3);
    expect(listOf(['"system"', '4', '5']).restIn(other, 1)).toBe(4);
    expect(listOf(['2', '3', '4']).restIn(other, 0)).toBe(2);
  });

  it('are not taken for the rest of a list that goes on in another way', () => {
    const other = listOf(['1', '2', '3', '4']);
    for (const texts of [['3'], ['3', '5'], ['5', '4'], ['"system"', '3'], []])
      expect(listOf(texts).restIn(other, 0)).toBe(-1);
  });
});
