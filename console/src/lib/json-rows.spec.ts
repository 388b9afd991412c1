import { parseExact } from '../../../src/common/exact-number.js';
import { firstRows, foldAll, openAll, parentOf, pathOf, toggleRow, type JsonRow } from './json-rows.js';

const outline = (rows: readonly JsonRow[]) =>
  rows.map(
    ({ depth, key, value, size }) => `${' '.repeat(depth)}${key ?? ''}: ${size === null ? String(value) : `(${size})`}`,
  );

describe('JSON as rows', () => {
  const value = parseExact('{"order":9007199254740993,"items":[{"a":1},{}],"none":null}');

  it('opens a small value whole', () => {
    expect(outline(firstRows(value))).toEqual([
      ': (3)',
      ' order: 9007199254740993',
      ' items: (2)',
      '  0: (1)',
      '   a: 1',
      '  1: (0)',
      ' none: null',
    ]);
  });

  it('closes and opens a row', () => {
    const rows = firstRows(value);
    const closed = toggleRow(rows, 2);
    expect(outline(closed)).toEqual([': (3)', ' order: 9007199254740993', ' items: (2)', ' none: null']);
    expect(outline(toggleRow(closed, 2))).toEqual([
      ...outline(rows.slice(0, 3)),
      '  0: (1)',
      '  1: (0)',
      ' none: null',
    ]);
    expect(toggleRow(rows, 1)).toEqual(rows);
    expect(outline(foldAll(rows))).toEqual([': (3)', ' order: 9007199254740993', ' items: (2)', ' none: null']);
    expect(outline(openAll(closed))).toEqual(outline(rows));
  });

  it('knows where a row stands', () => {
    const rows = firstRows({ 'a b': { c: [1, [2]] } });
    expect(rows.map((_row, index) => pathOf(rows, index))).toEqual([
      '',
      '["a b"]',
      '["a b"].c',
      '["a b"].c[0]',
      '["a b"].c[1]',
      '["a b"].c[1][0]',
    ]);
    expect([parentOf(rows, 5), parentOf(rows, 0)]).toEqual([4, -1]);
  });

  it('opens large values only as far as one can see', () => {
    const large = { list: Array.from({ length: 100_000 }, (_, id) => ({ id })), after: { a: 1 } };
    expect(outline(firstRows(large))).toEqual([': (2)', ' list: (100000)', ' after: (1)', '  a: 1']);
    expect(openAll(firstRows(large)).length).toBeGreaterThan(100_000);
  });

  it.each([1, 'text', null, [], {}])('shows %j', (plain) => expect(firstRows(plain)).toHaveLength(1));

  it('takes any depth', () => {
    const deep = JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`) as unknown;
    expect(firstRows(deep).length).toBeGreaterThan(100);
  });
});
