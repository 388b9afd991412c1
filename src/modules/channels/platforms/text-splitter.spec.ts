import fc from 'fast-check';
import { cpuMsOf } from '../../../../test/support/cpu-time.js';
import { splitText } from './text-splitter.js';

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

const PIECES = fc.constantFrom(
  'word',
  'a much longer word-like-thing',
  ' ',
  '  ',
  '\n',
  '\n\n',
  '. ',
  '。',
  '👩‍👩‍👧',
  'é',
  '🇩🇪',
  '漢字',
  '\n```LL\n',
  '\n```\n',
  '\n~~~\n',
  `\n${'`'.repeat(90)}\n`,
  `\n${'`'.repeat(8)}${'L'.repeat(30)}\n`,
  '    indented',
  'x'.repeat(90),
);

const texts = fc.array(PIECES, { maxLength: 120 }).map((pieces) => pieces.join(''));

function withoutSpace(text: string): string {
  return text.replaceAll(/\s/g, '');
}

/** The text without white space and code fences, which a split may remove or add. */
function substance(text: string): string {
  return withoutSpace(text.replaceAll(/[`~L]/g, ''));
}

describe('A long text', () => {
  it('that fits stays one part, as it is', () => {
    expect(splitText('Hello\n\n*you*', 64)).toEqual(['Hello\n\n*you*']);
  });

  it('of nothing but white space has no parts', () => {
    expect(splitText(' \n\t\n ', 64)).toEqual([]);
  });

  it('is split between paragraphs rather than lines, lines rather than sentences, sentences rather than words', () => {
    const [a, b, c] = ['a'.repeat(40), 'b'.repeat(20), 'c'.repeat(40)];
    expect(splitText(`${a}\n\n${b}\n${c}`, 64)).toEqual([a, `${b}\n${c}`]);
    expect(splitText(`${a}\n${b} ${c}`, 64)).toEqual([a, `${b} ${c}`]);
    expect(splitText(`${a}. ${b} ${c}`, 64)).toEqual([`${a}.`, `${b} ${c}`]);
    expect(splitText(`${a} ${b} ${c}`, 64)).toEqual([`${a} ${b}`, c]);
  });

  it('without any border is split where the room ends', () => {
    expect(splitText('x'.repeat(130), 64).map((part) => part.length)).toEqual([64, 64, 2]);
  });

  it('keeps families and flags together', () => {
    const families = '👩‍👩‍👧'.repeat(20);
    for (const part of splitText(families, 64)) expect(withoutSpace(part)).toMatch(/^(👩‍👩‍👧)+$/u);
    for (const part of splitText('🇩🇪'.repeat(40), 66)) expect(part.length % 4).toBe(0);
  });

  it('closes code at the end of a part and opens it again in the next, with its language', () => {
    const lines = Array.from({ length: 12 }, (_, i) => `  line ${i}();`);
    const parts = splitText(`Look:\n\`\`\`js\n${lines.join('\n')}\n\`\`\`\nDone.`, 80);
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts) expect(part.match(/^```/gm)!.length % 2).toBe(0);
    for (const part of parts.slice(1, -1)) expect(part).toMatch(/^```js\n {2}line/);
    expect(parts.join('\n').match(/^ {2}line \d+\(\);$/gm)).toEqual(lines);
  });

  it('does not leave an empty block of code behind at the end of a part', () => {
    const text = `${'a'.repeat(50)}\n\`\`\`js\n${'b();\n'.repeat(20)}\`\`\``;
    expect(splitText(text, 64)[0]).toBe('a'.repeat(50));
  });

  it('loses nothing but white space at its borders, whatever it holds', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 64, max: 200 }), (text, limit) => {
        const parts = splitText(text, limit);
        expect(substance(parts.join('\n'))).toBe(substance(text));
        for (const part of parts) {
          expect(part.length).toBeLessThanOrEqual(limit);
          expect(part.isWellFormed()).toBe(true);
          expect(part.trim()).not.toBe('');
        }
      }),
      { numRuns: 500 },
    );
  });

  it('is never split within a grapheme that could have stayed whole', () => {
    const units = fc.constantFrom('👩‍👩‍👧', 'e\u0301', '🇩🇪', 'x', '👍🏽');
    fc.assert(
      fc.property(fc.array(units, { minLength: 60, maxLength: 120 }), (pieces) => {
        const text = pieces.join('');
        const whole = [...graphemes.segment(text)].map(({ segment }) => segment);
        const split = splitText(text, 64).flatMap((part) => [...graphemes.segment(part)].map(({ segment }) => segment));
        expect(split).toEqual(whole);
      }),
    );
  });

  it('of a megabyte takes no time to speak of', () => {
    const spentMs = cpuMsOf(() => {
      expect(splitText('word and word. '.repeat(70_000), 4096).length).toBeGreaterThan(200);
      expect(splitText('x'.repeat(1_000_000), 4096).length).toBe(245);
    });
    expect(spentMs).toBeLessThan(5_000);
  });
});
