import { findJsonFault, parseJsonBody, placeAt } from './json-body.js';
import fc from 'fast-check';

const parse = (text: string) => parseJsonBody(Buffer.from(text));

describe('A JSON body', () => {
  it('may be empty', () => {
    expect(parse('')).toBeUndefined();
  });

  it('may begin with a byte order mark', () => {
    expect(parse('\ufeff{"a":"ä"}')).toEqual({ a: 'ä' });
  });

  it('must be UTF-8', () => {
    expect(() => parseJsonBody(Buffer.from([0x22, 0xff, 0x22]))).toThrow(
      expect.objectContaining({ code: 'invalid_utf8' }),
    );
  });

  it('that is broken is refused with the place, and without repeating it', () => {
    const error = expect.objectContaining({ code: 'invalid_json', message: expect.stringMatching(/line 2, column 3/) });
    expect(() => parse('{"secret":"hunter2",\n  oops}')).toThrow(error);
    expect(() => parse('{"secret":"hunter2",\n  oops}')).not.toThrow(/hunter2/);
  });

  it.each(['{"__proto__":{"isAdmin":true},"b":1}', '{"\\u005f_proto__":{"isAdmin":true},"b":1}'])(
    'cannot reach a prototype: %s',
    (text) => {
      const body = parse(text) as { isAdmin?: boolean };
      expect(Object.keys(body)).toEqual(['b']);
      expect(Object.assign({}, body).isAdmin).toBeUndefined();
    },
  );
});

describe('The fault of a broken JSON text', () => {
  it.each([
    ['', 1, 1, 'the text ends too early'],
    ['{"a":1,}', 1, 8, 'a property name in double quotes was expected'],
    ['{"a":1', 1, 7, 'the text ends too early'],
    ['{"a" 1}', 1, 6, '":" was expected'],
    ['{"a":\n  tru}', 2, 3, 'a value was expected'],
    ['[1 2]', 1, 4, '"," or "]" was expected'],
    ['[1,]', 1, 4, 'a value was expected'],
    ['{} x', 1, 4, 'the end of the text was expected'],
    ['"a\tb"', 1, 3, 'an escape was expected instead of a control character'],
    ['"a\\x"', 1, 3, 'a valid escape was expected'],
    ['"a\\u12"', 1, 3, 'a valid escape was expected'],
    ['"abc', 1, 5, 'the text ends too early'],
    ['01', 1, 2, 'the end of the text was expected'],
    ['{a:1}', 1, 2, 'a property name in double quotes was expected'],
    ['NaN', 1, 1, 'a value was expected'],
    ['{"€ä😀":\n\n "€ä😀" 1}', 3, 9, '"," or "}" was expected'],
  ])('of %j is at line %i, column %i', (text, line, column, expected) => {
    const bytes = Buffer.from(text);
    const fault = findJsonFault(bytes);
    expect({ ...placeAt(bytes, 0, fault.position), expected: fault.expected }).toEqual({ line, column, expected });
  });

  it('is found under any nesting', () => {
    const text = `${'['.repeat(200_000)}x`;
    expect(findJsonFault(Buffer.from(text))).toEqual({ position: 200_000, expected: 'a value was expected' });
  });

  it('is at the end of every text that was cut short', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), fc.nat(), (text, cut) => {
        const start = text.slice(0, cut % text.length);
        fc.pre(!isJson(start));
        const bytes = Buffer.from(start);
        const { position } = findJsonFault(bytes);
        // A number, word or escape that is cut off is at fault from its beginning.
        expect(bytes.length - position).toBeLessThanOrEqual(longestToken(start));
      }),
    );
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function longestToken(text: string): number {
  return Math.max(5, /[-+.eE\d]*$/.exec(text)?.[0].length ?? 0);
}
