import { listDifference } from './list-difference.js';

const MARKS = { same: ' ', added: '+', removed: '-' };
const show = (before: readonly string[], after: readonly string[]) =>
  listDifference(before, after, (item) => item).map(({ kind, item }) => `${MARKS[kind]}${item}`);

describe('The difference of two lists', () => {
  it.each([
    ['', '', ''],
    ['abc', 'abc', ' a b c'],
    ['ab', 'abcd', ' a b+c+d'],
    ['abcd', 'cd', '-a-b c d'],
    ['abcdef', 'axcyef', ' a-b+x c-d+y e f'],
    ['aaa', 'aa', ' a a-a'],
    ['abc', 'xyz', '-a-b-c+x+y+z'],
  ])('from %j to %j is %j', (before, after, shown) => {
    expect(show([...before], [...after]).join('')).toBe(shown);
  });

  it('takes what is too long to compare for replaced', () => {
    const [before, after] = ['b', 'a'].map((name) => Array.from({ length: 2_100 }, (_, index) => `${name}${index}`));
    const changes = show(['same', ...before!, 'end'], ['same', ...after!, 'end']);
    expect([changes[0], changes[1], changes.at(-2), changes.at(-1)]).toEqual([' same', '-b0', '+a2099', ' end']);
    expect(changes).toHaveLength(4_202);
  });
});
