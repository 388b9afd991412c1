import { historyDifference } from './history-difference.js';

const history = (places: number[]) => ({ places, metaPlaces: [] });
const told = (before: number[], after: number[]) =>
  historyDifference(history(before), history(after)).map(
    ({ kind, indexes }) => `${kind} ${indexes.map((at) => (kind === 'removed' ? before : after)[at]).join(' ')}`,
  );

describe('The difference of two histories', () => {
  it.each<[string, number[], number[], string[]]>([
    ['messages at the end', [0, 1], [0, 1, 2, 3], ['same 0 1', 'added 2 3']],
    ['a summary before what was kept', [0, 1, 2, 3], [9, 2, 3, 10], ['added 9', 'removed 0 1', 'same 2 3', 'added 10']],
    ['an edited message', [0, 1, 2], [0, 7, 2], ['same 0', 'added 7', 'removed 1', 'same 2']],
    ['an earlier step', [0, 1, 2], [0], ['same 0', 'removed 1 2']],
    ['a message said twice', [3, 4], [3, 4, 3], ['same 3 4', 'added 3']],
    ['nothing', [0, 1], [0, 1], ['same 0 1']],
    ['two that share nothing', [0], [1], ['added 1', 'removed 0']],
    ['an order turned around', [0, 1], [1, 0], ['removed 0', 'same 1', 'added 0']],
  ])('is told: %s', (_, before, after, expected) => expect(told(before, after)).toEqual(expected));
});
