import { ToolCallNames } from './tool-call-names.js';

const search = { name: 'search', atMs: 1 };
const book = { name: 'book', atMs: 2 };

describe('ToolCallNames', () => {
  it('finds a call by any of the ids that a result names', () => {
    const calls = new ToolCallNames();
    calls.record(search, 'c1');
    expect(calls.answer(['unknown', 'c1'])).toBe(search);
    expect(calls.answer(['c1'])).toBe(search);
  });

  it('does not guess for a result whose id nobody has seen', () => {
    const calls = new ToolCallNames();
    calls.record(search, 'c1');
    expect(calls.answer(['c2'], 'search')).toBeUndefined();
  });

  it('gives results without ids the open call of their name', () => {
    const calls = new ToolCallNames();
    const again = { name: 'search', atMs: 3 };
    [search, book, again].forEach((call) => calls.record(call));
    expect(calls.answer([], 'search')).toBe(search);
    expect(calls.answer([], 'search')).toBe(again);
    expect(calls.answer([], 'search')).toBeUndefined();
    expect(calls.answer([], 'book')).toBe(book);
  });

  it('gives results without id and name the open calls in their order', () => {
    const calls = new ToolCallNames();
    [search, book].forEach((call) => calls.record(call));
    expect([calls.answer([]), calls.answer([]), calls.answer([])]).toEqual([search, book, undefined]);
  });

  it('takes no unanswered call of an earlier turn for a result without id', () => {
    const calls = new ToolCallNames();
    calls.record(search, 'c1');
    calls.startTurn();
    calls.record(book);
    expect(calls.answer([])).toBe(book);
    expect(calls.answer([])).toBeUndefined();
    expect(calls.answer(['c1'])).toBe(search);
  });
});
