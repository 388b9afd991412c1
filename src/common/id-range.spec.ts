import fc from 'fast-check';
import { rangeOf } from './id-range.js';

const letter = fc.oneof(
  fc.constantFrom(
    'a',
    'b',
    '%',
    '_',
    '\u007f',
    '\u0080',
    '\u{d7ff}',
    '\u{e000}',
    '\u{ffff}',
    '\u{10000}',
    '\u{10ffff}',
  ),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
);
const text = fc.array(letter, { maxLength: 4 }).map((letters) => letters.join(''));
const isBefore = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0;

describe('The range of a prefix', () => {
  it('holds what begins with it, and nothing else', () => {
    fc.assert(
      fc.property(text, text, fc.boolean(), (prefix, other, isJoined) => {
        const id = isJoined ? prefix + other : other;
        const { from, before } = rangeOf(prefix);
        const isWithin = !isBefore(id, from) && (before === null || isBefore(id, before));
        expect(isWithin).toBe(id.startsWith(prefix));
      }),
    );
  });

  it('has no end where no text comes after all of them', () => {
    expect(rangeOf('')).toEqual({ from: '', before: null });
    expect(rangeOf('\u{10ffff}')).toEqual({ from: '\u{10ffff}', before: null });
    expect(rangeOf('a\u{10ffff}').before).toBe('b');
    expect(rangeOf('\u{d7ff}').before).toBe('\u{e000}');
  });
});
