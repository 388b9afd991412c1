/** A piece of text: either shown as it is, or characters that are invisible or change how others read. */
export interface TextPiece {
  text: string;
  /** Shown instead, e.g. `U+202E`, `U+200B ×40` or `ESC[31m`; absent for ordinary text. */
  hidden?: string;
  /** What they do, in words. */
  meaning?: string;
}

/** Emoji of several characters: people with a skin tone or hair, families, keycaps, and the three flags written with tags. */
const EMOJI =
  /\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?(?:\u200d\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)+|\p{Extended_Pictographic}\ufe0f|[0-9#*]\ufe0f\u20e3|\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}/u
    .source;

/** Scripts whose letters join differently around U+200C or U+200D, which their users write every day. */
const JOINING = '[\\p{L}\\p{M}]';
const JOINER =
  `(?<=(?:(?!\\p{Script=Latin}|\\p{Script=Cyrillic}|\\p{Script=Greek})${JOINING}))[\\u200c\\u200d]` +
  `(?=(?!\\p{Script=Latin}|\\p{Script=Cyrillic}|\\p{Script=Greek})${JOINING})`;

/** Sequences that a terminal would execute: colours, the cursor, titles, links. */
const TERMINAL = String.raw`(?:\u001b\[|\u009b)[0-?]{0,60}[ -\/]{0,8}[@-~]|\u001b\][^\u0007\u001b]{0,500}(?:\u0007|\u001b\\)`;

/**
 * Characters that people cannot see and attackers can use: control characters, text direction, zero-width joiners and fillers, variation
 * selectors, tags, and unpaired surrogates. Line feeds, returns and tabs are ordinary.
 */
const HIDDEN = String.raw`[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffc\ufffe\uffff]|\p{Surrogate}|[\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]`;
/** Spaces that look like the ordinary one. */
const SPACES = String.raw`[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]`;

const finder = (hidden: string) =>
  new RegExp(`(?<fine>${EMOJI}|${JOINER})|(?<terminal>${TERMINAL})|(?<hidden>${hidden})`, 'gu');
const IN_PROSE = finder(HIDDEN);
const IN_VALUES = finder(`${HIDDEN}|${SPACES}`);

/** Pieces for one text; after that, hidden characters appear by name in plain text, because a text of nothing else would fill the page. */
const MAX_PIECES = 1_000;

/**
 * Splits a text so that its hidden characters can be drawn. Repeated ones are one piece.
 *
 * @param isValue for names and arguments, which people compare: also draws spaces other than the ordinary one
 */
export function visiblePieces(text: string, isValue = false): TextPiece[] {
  const pieces: TextPiece[] = [];
  let from = 0;
  for (const { index, 0: found, groups } of text.matchAll(isValue ? IN_VALUES : IN_PROSE)) {
    if (groups!.fine !== undefined) continue;
    if (index > from) pieces.push({ text: text.slice(from, index) });
    from = index + found.length;
    add(pieces, groups!.terminal === undefined ? hiddenPiece(found) : terminalPiece(found));
    if (pieces.length >= MAX_PIECES) break;
  }
  if (from < text.length)
    pieces.push({ text: pieces.length < MAX_PIECES ? text.slice(from) : named(text.slice(from)) });
  return pieces;
}

/** Whether a text contains invisible characters. */
export function hidesSomething(text: string): boolean {
  return visiblePieces(text, true).some(({ hidden }) => hidden !== undefined);
}

function add(pieces: TextPiece[], piece: TextPiece): void {
  const last = pieces.at(-1);
  if (last?.hidden === undefined || last.meaning !== piece.meaning || last.hidden.split(' ×')[0] !== piece.hidden)
    return void pieces.push(piece);
  last.text += piece.text;
  last.hidden = `${piece.hidden} ×${last.text.length / piece.text.length}`;
}

function hiddenPiece(text: string): TextPiece {
  return { text, hidden: codeName(text), meaning: meaningOf(text.codePointAt(0)!) };
}

function terminalPiece(text: string): TextPiece {
  const shown = text
    .replace(/^\u001b/, 'ESC')
    .replace(/^\u009b/, 'CSI ')
    .replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, codeName);
  return { text, hidden: shown, meaning: 'A command to a terminal' };
}

function named(text: string): string {
  return text.replaceAll(IN_PROSE, (found, fine: string | undefined) =>
    fine === undefined ? `⟨${codeName(found)}⟩` : found,
  );
}

function codeName(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}

function meaningOf(code: number): string {
  if ((code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069))
    return 'Changes the direction in which the text beside it is written';
  if (code === 0x200e || code === 0x200f || code === 0x61c) return 'A mark for the direction of writing';
  if (code < 0x20 || (code >= 0x7f && code <= 0x9f)) return 'A control character';
  if (code >= 0xe0000 && code <= 0xe0fff) return 'A tag that is never drawn: it can carry a hidden text';
  if (code >= 0xd800 && code <= 0xdfff) return 'Half a character';
  if (code === 0xa0 || code === 0x202f || /\p{Zs}/u.test(String.fromCodePoint(code)))
    return 'A space other than the ordinary one';
  return 'A character that cannot be seen';
}

/** JSON with such characters escaped within its strings, because an input field draws no boxes. The value stays the same. */
export function visibleJson(json: string): string {
  return json.replaceAll(IN_PROSE, (found, fine: string | undefined) => (fine === undefined ? escaped(found) : found));
}

function escaped(text: string): string {
  return Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
    .map((unit) =>
      unit >= 0x20 && unit < 0x7f ? String.fromCharCode(unit) : `\\u${unit.toString(16).padStart(4, '0')}`,
    )
    .join('');
}

/** The same as plain text, for titles and names, e.g. `a⟨U+202E⟩b`. */
export function visibleString(text: string): string {
  return visiblePieces(text)
    .map((piece) => (piece.hidden ? `⟨${piece.hidden}⟩` : piece.text))
    .join('');
}
