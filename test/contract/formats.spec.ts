import fc from 'fast-check';
import { toMrkdwn, toSections } from '../../src/modules/channels/platforms/slack/slack.calls.js';
import { toHtml } from '../../src/modules/channels/platforms/telegram/telegram.calls.js';
import { toWhatsapp } from '../../src/modules/channels/platforms/whatsapp/whatsapp.calls.js';
import { cpuMsOf } from '../support/cpu-time.js';
import { textFault, visible } from '../fakes/platforms/telegram-rules.js';

const PIECES = [
  ...[
    'alpha',
    'beta',
    ' ',
    '\n',
    '\n\n',
    '*',
    '**',
    '***',
    '_',
    '__',
    '~~',
    '`',
    '``',
    '\n```\n',
    '\n~~~\n',
    '\n# ',
    '\n- ',
  ],
  ...['\n> ', '[', '](', ')', '](https://x.org/a_b_c)', '<', '>', '&', '"', '\\', '|', '!', '😀', '漢', '1. '],
];
/** The language of a code block is no text, so there are none. */
const markdown = fc
  .array(fc.constantFrom(...PIECES), { maxLength: 60 })
  .map((pieces) => pieces.join(''))
  .filter((text) => !/^ {0,3}(```|~~~)[^\n]*\w/m.test(text));

function wordsOf(text: string): string[] {
  return text.match(/alpha|beta|漢|😀/gu) ?? [];
}

describe('Markdown of a model', () => {
  it('becomes HTML that Telegram can read, whose visible text is no longer, and no word is lost', () => {
    fc.assert(
      fc.property(markdown, (text) => {
        const html = toHtml(text);
        const fault = textFault({ text: html, parse_mode: 'HTML' });
        if (fault !== null) expect(fault.message).toBe('Bad Request: message text is empty');
        expect(visible(html).length).toBeLessThanOrEqual(text.length);
        expect(wordsOf(visible(html))).toEqual(wordsOf(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it('becomes marks of WhatsApp within the limit, and no word is lost', () => {
    fc.assert(
      fc.property(markdown, (text) => {
        const written = toWhatsapp(text, text.length);
        expect(written.length).toBeLessThanOrEqual(text.length);
        expect(wordsOf(written)).toEqual(wordsOf(text));
      }),
      { numRuns: 1_000 },
    );
  });

  it('becomes marks of Slack in sections of its size, and no word is lost', () => {
    fc.assert(
      fc.property(markdown, fc.integer({ min: 1, max: 60 }), (text, times) => {
        const long = text.repeat(times).slice(0, 3_000);
        expect(wordsOf(toMrkdwn(text))).toEqual(wordsOf(text));
        const sections = toSections(long);
        for (const section of sections) expect(section.length).toBeLessThanOrEqual(3_000);
      }),
      { numRuns: 500 },
    );
  });

  it('keeps code of several sections of Slack code in each of them, exactly', () => {
    const code = `{"a":"${'&&*b* _c_ [d](https://x.org) '.repeat(95)}"}`;
    const sections = toSections(`Asks:\n\`\`\`\n${code}\n\`\`\``);
    const inner = sections.map((section) => /^(?:Asks:\n)?```\n(.*)\n```$/s.exec(section)?.[1]);
    expect(sections.length).toBeGreaterThan(1);
    expect(inner.join('').replaceAll('&amp;', '&')).toBe(code);
  });

  it.each(['*', '_', '**a', '`', '[', '[a](', '~~', '> ', '***', '__a ', '[a](https://x', '(('])(
    'of nothing but %j takes no time to speak of',
    (piece) => {
      const text = piece.repeat(Math.ceil(4096 / piece.length));
      const formats = [toHtml, toMrkdwn, (all: string) => toWhatsapp(all, 4096)];
      expect(cpuMsOf(() => formats.forEach((format) => format(text)))).toBeLessThan(1_500);
    },
  );
});
