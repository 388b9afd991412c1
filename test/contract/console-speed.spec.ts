import { Lexer } from 'marked';
import { parseExact, stringifyExact } from '../../console/src/api/exact-json.js';
import { diffJson } from '../../console/src/lib/json-diff.js';
import { markdownChunks } from '../../console/src/lib/markdown-chunks.js';
import { cpuMsOf } from '../support/cpu-time.js';

describe('The page', () => {
  it.each([
    '[',
    '**a',
    '_a*b',
    '<',
    '> ',
    '1. ',
    '- ',
    '`a ',
    '[a](',
    '~~a',
    '> > > >\n',
    '![',
    'a@',
    '***',
    '- a\n  ',
    '\\',
  ])('reads Markdown in little time, though it repeats %j', (part) => {
    const spentMs = cpuMsOf(() => {
      for (const { text, isTame } of markdownChunks(part.repeat(Math.ceil(20_000 / part.length)))) {
        if (isTame) new Lexer({ gfm: true }).lex(text);
      }
    });
    expect(spentMs).toBeLessThan(2_000);
  });

  it('reads 5 MB of Markdown in little time', () => {
    expect(cpuMsOf(() => void markdownChunks('Some **words** in a line.\n'.repeat(200_000)))).toBeLessThan(5_000);
  });

  it('reads 5 MB of large numbers in little time', () => {
    const text = `[${'9007199254740993,'.repeat(300_000)}1]`;
    expect(cpuMsOf(() => expect(stringifyExact(parseExact(text))).toBe(text))).toBeLessThan(10_000);
  });

  it('compares values of 5 MB in little time, also those that share nothing', () => {
    const many = (text: string) => Array.from({ length: 100_000 }, (_, at) => `${text} ${at} ${'x'.repeat(40)}`);
    const spentMs = cpuMsOf(() => {
      const grown = diffJson(many('a'), [...many('a'), 'one more']);
      expect(grown.at(-2)).toMatchObject({ kind: 'added', text: '  "one more"' });
      expect(diffJson(many('a'), many('b')).length).toBeGreaterThan(199_000);
    });
    expect(spentMs).toBeLessThan(8_000);
  });
});
