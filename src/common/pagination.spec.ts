import { DomainError } from './domain-error.js';
import { decodeCursor, encodeCursor, toPage } from './pagination.js';

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('A cursor', () => {
  it('gives back the key that it was made of', () => {
    const key = [1763600000000, 'thread/ä"', -3, 0.25];
    const shape = ['bigint', 'text', 'integer', 'double'] as const;
    expect(decodeCursor('threads', encodeCursor('threads', key), shape)).toEqual(key);
  });

  it.each([
    ['', ['bigint']],
    ['no base64 at all!', ['bigint']],
    [base64({ a: 1 }), ['bigint']],
    [base64(['other', 1]), ['bigint']],
    [base64(['threads']), ['bigint']],
    [base64(['threads', 1, 2]), ['bigint']],
    [base64(['threads', '1']), ['bigint']],
    [base64(['threads', null]), ['bigint']],
    [base64(['threads', 'a\u0000b']), ['text']],
    ['WyJ0aHJlYWRzIiwxZTk5OV0', ['double']],
    [base64(['threads', 1.5]), ['integer']],
    [base64(['threads', 2 ** 31]), ['integer']],
    [base64(['threads', 1e300]), ['bigint']],
  ] as const)('is refused when it is %j', (cursor, shape) => {
    expect(() => decodeCursor('threads', cursor, shape)).toThrow(DomainError);
  });
});

describe('A page', () => {
  const keyOf = (item: number) => [item];

  it('ends with a cursor while there is more', () => {
    const page = toPage([1, 2, 3], 2, 'list', keyOf);
    expect(page.items).toEqual([1, 2]);
    expect(decodeCursor('list', page.next_cursor ?? '', ['bigint'])).toEqual([2]);
  });

  it('has none when it is the last, the empty one included', () => {
    expect(toPage([1, 2], 2, 'list', keyOf)).toEqual({ items: [1, 2], next_cursor: null });
    expect(toPage([], 2, 'list', keyOf)).toEqual({ items: [], next_cursor: null });
  });
});
