import { differences, lastObjectIn, parsePrinted } from './printed-json.js';

const between = (printed: string, actual: object) => differences(parsePrinted(printed), actual);

describe('JSON in a document, held against an answer', () => {
  it('may leave out members and elements where it says so', () => {
    const printed = '{"id":"a",…,"list":[{"n":1,…},…],"text":"5f0c…"}';
    expect(between(printed, { id: 'a', more: 1, list: [{ n: 0 }, { n: 1, m: 2 }], text: '5f0c33' })).toEqual([]);
  });

  it.each([
    ['a member that is not there', '{"a":1,"b":2}', { a: 1 }, '.b: printed, but not there'],
    ['a member that is not printed', '{"a":1}', { a: 1, b: 2 }, '.b: is there, but not printed'],
    ['another type', '{"a":1,…}', { a: '1' }, '.a: printed 1, is "1"'],
    ['another value', '{"a":["b"]}', { a: ['c'] }, '.a[0]: printed "b", is "c"'],
    ['another length', '{"a":[1]}', { a: [1, 2] }, '.a: printed 1 elements, are 2'],
  ])('differs in %s', (_, printed, actual, difference) => {
    expect(between(printed, actual)).toEqual([difference]);
  });

  it('does not ask for the same time or the same new id', () => {
    const printed = '{"at":"2026-11-21T01:21:03.533Z","run_id":"0b2f2a3e-6c1d-4b57-9a35-8f0e1c6d7a21","took_ms":3}';
    const actual = { at: '2026-11-22T10:00:00.000Z', run_id: '11111111-6c1d-4b57-9a35-8f0e1c6d7a21', took_ms: 4 };
    expect(between(printed, actual)).toEqual([]);
  });

  it('is compared with the last of several answers', () => {
    expect(lastObjectIn('{"a":1}{"b":"}"}\nsaved {c}')).toEqual({ b: '}' });
    expect(lastObjectIn('nothing')).toBeNull();
  });
});
