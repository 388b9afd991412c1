import { compositionsOf, foldSearch, foldSearched, variantsOf } from '../../../common/case-folding.js';
import type { Dialect, SqlValue } from '../../../database/database.js';

/** Length of the longest searched text, a model's name. */
const MAX_LENGTH = 1024;

/** Compositions in one statement: each is a nested call, and SQLite allows a thousand levels. */
const MAX_COMPOSITIONS = 200;

/**
 * A text to search for, ignoring case and Unicode composition (NFC, NFD). Both databases lower ASCII letters alike but differ on all
 * others, so this class handles those letter by letter. ASCII texts skip that work.
 */
export class SearchedPart {
  private readonly letters: readonly string[];

  constructor(
    private readonly dialect: Dialect,
    text: string,
  ) {
    this.letters = [...foldSearch(text)];
  }

  get isTooLong(): boolean {
    return this.letters.length > MAX_LENGTH;
  }

  isIn(text: string): boolean {
    const part = this.letters.join('');
    return foldSearched(text).some((folded) => folded.includes(part));
  }

  /** Returns a function that writes the condition for a column. Binds the values once. */
  condition(bind: (value: SqlValue) => string): (column: string) => string {
    const others = this.otherVariants();
    const like = `LIKE ${bind(`%${this.letters.map(likeOf).join('')}%`)} ESCAPE '!'`;
    const compositions = this.compositions();
    if (this.dialect === 'sqlite') {
      const plain = (column: string) => `${column} ${like}`; // LIKE ignores the case of ASCII letters
      if (others.length + compositions.length === 0) return plain;
      // In the order of their placeholders; the last composition is the outermost call.
      const steps = compositions.map((step) => step.map(bind));
      const pattern = bind(`*${this.letters.map(globOf).join('')}*`);
      const composed = (column: string) =>
        steps.reduce((text, [parts, whole]) => `replace(${text}, ${parts}, ${whole})`, column);
      return (column) =>
        `(${plain(column)} OR (octet_length(${column}) <> length(${column}) AND ${composed(column)} GLOB ${pattern}))`;
    }
    const lowered = (text: string) => `lower(${text} COLLATE "C")`;
    const plain = (column: string) => `${lowered(column)} ${like}`;
    if (others.length + compositions.length === 0) return plain;
    const from = bind(others.map(([variant]) => variant).join(''));
    const to = bind(others.map(([, letter]) => letter).join(''));
    const composed = (column: string) => (compositions.length === 0 ? column : `normalize(${column}, NFC)`);
    return (column) =>
      `(${plain(column)} OR (octet_length(${column}) <> char_length(${column})` +
      ` AND translate(${lowered(composed(column))}, ${from}, ${to}) ${like}))`;
  }

  private compositions(): (readonly [parts: string, whole: string])[] {
    const steps = [...new Set(this.letters)].flatMap((letter) => variantsOf(letter).flatMap(compositionsOf));
    const known = new Map(steps.slice(0, MAX_COMPOSITIONS));
    return [...known];
  }

  /** Variants of its letters that the databases do not lower, each with its lower-case letter. */
  private otherVariants(): [variant: string, letter: string][] {
    return [...new Set(this.letters)].flatMap((letter) =>
      variantsOf(letter)
        .filter((variant) => variant !== letter && variant >= '\u0080')
        .map((variant): [string, string] => [variant, letter]),
    );
  }
}

function globOf(letter: string): string {
  const variants = variantsOf(letter);
  return variants.length > 1 || '*?['.includes(letter) ? `[${variants.join('')}]` : letter;
}

function likeOf(letter: string): string {
  return '%_!'.includes(letter) ? `!${letter}` : letter;
}
