import { hidesSomething, visibleJson, visiblePieces } from './visible-text.js';

const shown = (text: string, isValue = false) =>
  visiblePieces(text, isValue)
    .map(({ text: plain, hidden }) => (hidden === undefined ? plain : `⟨${hidden}⟩`))
    .join('');

describe('text of strangers', () => {
  it.each([
    ['a direction turned around', 'ann\u202Emoc.elpmaxe', 'ann⟨U+202E⟩moc.elpmaxe'],
    ['isolates', '\u2067x\u2069', '⟨U+2067⟩x⟨U+2069⟩'],
    ['letters without width', 'pay\u200bpal\u2060\ufeff', 'pay⟨U+200B⟩pal⟨U+2060⟩⟨U+FEFF⟩'],
    ['repeated ones, as one', 'a\u200b\u200b\u200bb', 'a⟨U+200B ×3⟩b'],
    ['tags that carry a text', 'hi\u{e0041}\u{e0042}', 'hi⟨U+E0041⟩⟨U+E0042⟩'],
    ['variation selectors that carry data', 'x\ufe01\u{e0101}', 'x⟨U+FE01⟩⟨U+E0101⟩'],
    ['fillers', '\u3164\u115f\u00ad', '⟨U+3164⟩⟨U+115F⟩⟨U+00AD⟩'],
    ['control characters', 'a\u0000b\u0008c\u007f', 'a⟨U+0000⟩b⟨U+0008⟩c⟨U+007F⟩'],
    ['half a character', 'a\ud800b', 'a⟨U+D800⟩b'],
    ['colours of a terminal', '\u001b[31mred\u001b[0m', '⟨ESC[31m⟩red⟨ESC[0m⟩'],
    ['a link of a terminal', '\u001b]8;;http://x\u0007go', '⟨ESC]8;;http://xU+0007⟩go'],
    ['an escape that commands nothing', '\u001b', '⟨U+001B⟩'],
    ['a joiner between letters of Latin', 'a\u200db', 'a⟨U+200D⟩b'],
  ])('shows %s', (_what, text, expected) => expect(shown(text)).toBe(expected));

  it.each([
    'plain\ttext\r\nwith lines',
    '👩‍💻 👨‍👩‍👧‍👦 ❤️‍🔥 👍🏽 🏳️‍🌈 1️⃣ ☀️ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🇩🇪',
    'می‌خواهم',
    'क्‍ष',
    'שלום עולם، مرحبا',
    '10\u202f000\u00a0€ – naïve',
    '日本語\u3000テスト',
    '�',
  ])('leaves %s as it is', (text) => {
    expect(visiblePieces(text)).toEqual([{ text }]);
  });

  it('shows other spaces in values, which people compare', () => {
    expect(shown('a\u00a0b', true)).toBe('a⟨U+00A0⟩b');
    expect([hidesSomething('a b'), hidesSomething('a\u2003b')]).toEqual([false, true]);
  });

  it('does not become thousands of pieces', () => {
    const pieces = visiblePieces('a\u202e'.repeat(100_000));
    expect(pieces.length).toBeLessThan(1_010);
    expect(pieces.at(-1)?.text).toContain('a⟨U+202E⟩a');
  });

  it('keeps every character', () => {
    const text = 'x\u001b[1m👩‍💻\u200b\u200by\ud83d';
    expect(
      visiblePieces(text)
        .map((piece) => piece.text)
        .join(''),
    ).toBe(text);
  });

  it('is escaped within JSON that is written in, which stands for the same value', () => {
    const value = { 'a\u202eb': ['\u200b\u009b31m x', '\u{e0041}', '\ud800', '👩‍💻 é\n"\\', '\u009b"', 'b'], n: 1 };
    const json = visibleJson(JSON.stringify(value, null, 2));
    expect(JSON.parse(json)).toEqual(value);
    expect(hidesSomething(json)).toBe(false);
    expect(json).toContain('"a\\u202eb"');
    expect(json).toContain('👩‍💻 é');
  });
});
