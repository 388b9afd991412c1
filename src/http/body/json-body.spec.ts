import { parseJsonBody } from './json-body.js';

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
