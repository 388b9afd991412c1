import { RunList } from './run-list.js';
import type { RunRow } from './run-row.js';
import type { Sort } from './runs-search.js';

const START = Date.parse('2026-11-20T12:00:00Z');

/** A thread that changed this many seconds after the start. */
function row(id: string, second: number, more: Partial<RunRow> = {}): RunRow {
  const at = new Date(START + second * 1000).toISOString();
  return {
    id,
    status: 'in_progress',
    agents: ['support'],
    model: 'small-4',
    step: 0,
    startedAt: at,
    updatedAt: at,
    tokens: 0,
    costUsd: 0,
    runCostUsd: 0,
    budgetUsd: 0,
    isNearBudget: false,
    waiting: 0,
    isSilent: false,
    isInDoubt: false,
    said: null,
    error: null,
    ...more,
  };
}

function listOf(rows: RunRow[], next: string | null = null, sort: Sort = 'updated_at', isAscending = false): RunList {
  const list = new RunList({ sort, isAscending });
  list.begin(rows, next);
  return list;
}

const numbered = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => row(`t-${from + index}`, 10_000 - from - index));

describe('The list of threads', () => {
  it('shows a change in its row at once, and moves the row only when it settles', () => {
    const list = listOf([row('b', 200), row('a', 100)]);
    list.update([row('a', 300, { step: 7 })]);
    expect([list.ids, list.row('a')?.step]).toEqual([['b', 'a'], 7]);
    list.settle();
    expect(list.ids).toEqual(['a', 'b']);
  });

  it('counts new threads until it settles', () => {
    const list = listOf([row('a', 100)]);
    list.update([row('c', 300), row('b', 200)]);
    expect([list.newCount, list.ids]).toEqual([2, ['a']]);
    list.settle();
    expect([list.newCount, list.ids, list.hasArrived('c'), list.hasArrived('a')]).toEqual([
      0,
      ['c', 'b', 'a'],
      true,
      false,
    ]);
  });

  it('lets threads that work at the same time keep their places', () => {
    const list = listOf([row('b', 105), row('a', 100)]);
    list.update([row('a', 110)]);
    expect(list.isUnsettled).toBe(false);
    list.update([row('a', 130)]);
    expect(list.isUnsettled).toBe(true);
  });

  it('knows nothing better than the newest that it was told', () => {
    const list = listOf([row('a', 100, { step: 2 })]);
    list.update([row('a', 90, { step: 1 })]);
    list.restore([row('a', 90, { step: 1 })]);
    expect(list.row('a')?.step).toBe(2);
  });

  it('keeps the place of what has gone until it settles', () => {
    const list = listOf([row('b', 200), row('a', 100)]);
    list.remove('b', 'left');
    list.remove('unknown', 'deleted');
    expect([list.ids, list.goneReason('b')]).toEqual([['b', 'a'], 'left']);
    list.settle();
    expect([list.ids, list.row('b')]).toEqual([['a'], undefined]);
  });

  it('takes back what has gone and matches again', () => {
    const list = listOf([row('a', 100)]);
    list.remove('a', 'left');
    list.update([row('a', 101)]);
    list.settle();
    expect([list.ids, list.goneReason('a')]).toEqual([['a'], undefined]);
  });

  it('puts rows where another order wants them', () => {
    const list = listOf([row('b', 1, { costUsd: 3 }), row('a', 2, { costUsd: 1 })], null, 'total_cost_usd');
    list.update([row('c', 3, { costUsd: 2 }), row('d', 4, { costUsd: 0 })]);
    list.settle();
    expect(list.ids).toEqual(['b', 'c', 'a', 'd']);
    list.update([row('d', 5, { costUsd: 9 })]);
    list.settle();
    expect(list.ids).toEqual(['d', 'b', 'c', 'a']);
  });

  it('leaves what belongs behind the loaded rows to the next page', () => {
    const list = listOf([row('b', 1, { costUsd: 3 })], 'more', 'total_cost_usd');
    list.update([row('a', 2, { costUsd: 1 })]);
    expect(list.newCount).toBe(0);
  });

  it('adds a page once, and no thread twice', () => {
    const list = listOf([row('c', 300), row('b', 200)], 'two');
    list.append('two', [row('b', 200), row('a', 100)], 'three');
    list.append('two', [row('a', 100)], null);
    expect([list.ids, list.next]).toEqual([['c', 'b', 'a'], 'three']);
  });

  it('keeps few rows of many, and says which pages to fetch again', () => {
    const list = listOf(numbered(0, 50), '50');
    for (let from = 50; from < 2_050; from += 200) list.append(String(from), numbered(from, 200), String(from + 200));
    list.keepAround(2_000, 2_040);
    expect([list.ids.length, list.rowCount]).toEqual([2_050, 50 + 3 * 200]);
    expect(list.missing(300, 500)).toEqual(['250', '450']);
    list.restore(numbered(250, 200));
    expect([list.row('t-300')?.id, list.missing(300, 449)]).toEqual(['t-300', []]);
  });

  it('ends where its rows end when it settles, and goes on there', () => {
    const list = listOf(numbered(0, 50), '50');
    for (let from = 50; from < 1_050; from += 200) list.append(String(from), numbered(from, 200), String(from + 200));
    list.keepAround(0, 20);
    list.update([row('new', 20_000), row('t-900', 20_001)]);
    list.settle();
    expect(list.ids.slice(0, 3)).toEqual(['t-900', 'new', 't-0']);
    expect([list.ids.length, list.next]).toEqual([2 + 50 + 2 * 200, '450']);
  });

  it('asks to begin again when a tab has gathered too much', () => {
    const list = listOf([row('a', 1)]);
    list.update(numbered(0, 1_100));
    expect([list.newCount, list.isOvergrown]).toEqual([1_100, true]);
    list.begin([row('b', 2)], null);
    expect([list.newCount, list.isOvergrown, list.ids]).toEqual([0, false, ['b']]);
  });
});
