import { DomainError } from './domain-error.js';
import { decodeCursor, encodeCursor, toPage } from './pagination.js';

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('A cursor', () => {
  it('gives back the key that it was made of', () => {
    const key = [1763600000000, 'thread/ä"', null];
    expect(decodeCursor('threads', encodeCursor('threads', key), ['number', 'string', 'string?'])).toEqual(key);
  });

  it.each([
    ['', ['number']],
    ['no base64 at all!', ['number']],
    [base64({ a: 1 }), ['number']],
    [base64(['other', 1]), ['number']],
    [base64(['threads']), ['number']],
    [base64(['threads', 1, 2]), ['number']],
    [base64(['threads', '1']), ['number']],
    [base64(['threads', null]), ['number']],
    [base64(['threads', 'a\u0000b']), ['string']],
    ['WyJ0aHJlYWRzIiwxZTk5OV0', ['number']],
  ] as const)('is refused when it is %j', (cursor, shape) => {
    expect(() => decodeCursor('threads', cursor, shape)).toThrow(DomainError);
  });
});

describe('A page', () => {
  const keyOf = (item: number) => [item];

  it('ends with a cursor while there is more', () => {
    const page = toPage([1, 2, 3], 2, 'list', keyOf);
    expect(page.items).toEqual([1, 2]);
    expect(decodeCursor('list', page.next_cursor ?? '', ['number'])).toEqual([2]);
  });

  it('has none when it is the last, the empty one included', () => {
    expect(toPage([1, 2], 2, 'list', keyOf)).toEqual({ items: [1, 2], next_cursor: null });
    expect(toPage([], 2, 'list', keyOf)).toEqual({ items: [], next_cursor: null });
  });
});
