import { threadSearch } from './thread-search.js';

describe('The address of a thread', () => {
  it('says run, step, tab, what to compare with and what to find', () => {
    const search = { run: 'run-1', step: '2-14', tab: 'difference', compare: '1-3', find: 'refund' };
    expect(threadSearch(search)).toEqual(search);
  });

  it('takes numbers as the texts that they were', () => {
    expect(threadSearch({ run: 77, step: 14, find: 4711 })).toEqual({ run: '77', step: '14', find: '4711' });
  });

  it('says nothing where it makes no sense', () => {
    expect(threadSearch({ run: '', step: 'last', tab: 'other', compare: '1-2-3', find: {}, more: 1 })).toEqual({});
  });
});
