import { checkJsonContentType } from './content-type.js';

describe('The content type of a JSON body', () => {
  it.each([
    undefined,
    'application/json',
    'Application/JSON; charset=UTF-8',
    'application/json;charset="utf-8"',
    'application/merge-patch+json',
    'application/json; profile=x',
  ])('may be %s', (header) => {
    expect(() => checkJsonContentType(header)).not.toThrow();
  });

  it.each([
    ['text/plain', 'unsupported_content_type'],
    ['application/jsonx', 'unsupported_content_type'],
    ['application/x-www-form-urlencoded', 'unsupported_content_type'],
    ['', 'unsupported_content_type'],
    ['application/json; charset=latin1', 'unsupported_charset'],
  ])('must not be %j', (header, code) => {
    expect(() => checkJsonContentType(header)).toThrow(expect.objectContaining({ kind: 'unsupported_media', code }));
  });
});
