import { Lexer } from 'marked';
import { isLight } from './markdown-weight.js';

const light = (text: string) => isLight(text, new Lexer({ gfm: true, breaks: true }).lex(text));

describe('The weight of a text', () => {
  it.each([
    ['prose', 'A sentence with *emphasis*, `code` and a [link](https://a.example).\n\n'],
    [
      'commands',
      'Then run this in the folder of the project, and wait until it says that it is ready:\n```sh\nnpm run build -- --watch --verbose\n```\nIt may take some minutes.\n\n',
    ],
    ['lists', '- first, what is there already\n  - and what is not\n- second\n\n'],
    ['tables', '| name | amount |\n|-|-|\n| one | 12 |\n| two | 24 |\n\n'],
    ['verses', 'Shall I compare thee\nto a summer day?\n'],
  ])('of ordinary %s is light', (_kind, piece) => {
    expect(light(piece.repeat(Math.floor(8_000 / piece.length)))).toBe(true);
    expect(light(piece)).toBe(true);
  });

  it('of one text that is some code is light', () => {
    expect(light('```\na\n```\n```\nb\n```\n')).toBe(true);
  });

  it.each([
    ['empty fences', '```\n```\n'],
    ['fences in a list', '- ```\n  ```\n'],
    ['fences in a quote', '> ```\n> ```\n\n'],
    ['indented code', '    a\n\nb\n\n'],
    ['line breaks', '\r)'],
  ])('of nothing but %s is not', (_kind, piece) => {
    expect(light(piece.repeat(8_000 / piece.length))).toBe(false);
  });
});
