import { foldCase, variantsOf } from '../../../common/case-folding.js';
import type { Database, SqlValue } from '../../../database/database.js';

/** Length of the longest searched text, a model's name. */
const MAX_LENGTH = 1024;

/**
 * A text to look for in others, ignoring case. Both databases lower ASCII letters in the same way, but they differ on all others,
 * so this class handles those letter by letter. Only texts with more than ASCII cost that effort.
 */
export class SearchedPart {
  private readonly letters: readonly string[];

  constructor(
    private readonly dialect: Database['dialect'],
    text: string,
  ) {
    this.letters = [...foldCase(text)];
  }

  /** Whether it is longer than any searched text. */
  get isTooLong(): boolean {
    return this.letters.length > MAX_LENGTH;
  }

  /** Whether a text contains it. */
  isIn(text: string): boolean {
    return foldCase(text).includes(this.letters.join(''));
  }

  /** Returns a function that writes the condition for a column. Binds the values once. */
  condition(bind: (value: SqlValue) => string): (column: string) => string {
    const others = this.otherVariants();
    const like = `LIKE ${bind(`%${this.letters.map(likeOf).join('')}%`)} ESCAPE '!'`;
    if (this.dialect === 'sqlite') {
      const plain = (column: string) => `${column} ${like}`; // which ignores the case of ASCII letters
      if (others.length === 0) return plain;
      const pattern = bind(`*${this.letters.map(globOf).join('')}*`);
      return (column) =>
        `(${plain(column)} OR (octet_length(${column}) <> length(${column}) AND ${column} GLOB ${pattern}))`;
    }
    const lowered = (column: string) => `lower(${column} COLLATE "C")`;
    const plain = (column: string) => `${lowered(column)} ${like}`;
    if (others.length === 0) return plain;
    const from = bind(others.map(([variant]) => variant).join(''));
    const to = bind(others.map(([, letter]) => letter).join(''));
    return (column) =>
      `(${plain(column)} OR (octet_length(${column}) <> char_length(${column})` +
      ` AND translate(${lowered(column)}, ${from}, ${to}) ${like}))`;
  }

  /** The variants of its letters that the databases do not lower, each with the letter that it equals. */
  private otherVariants(): [variant: string, letter: string][] {
    return [...new Set(this.letters)].flatMap((letter) =>
      variantsOf(letter)
        .filter((variant) => variant !== letter && variant >= '\u0080')
        .map((variant): [string, string] => [variant, letter]),
    );
  }
}

/** A pattern for one letter in all its variants. */
function globOf(letter: string): string {
  const variants = variantsOf(letter);
  return variants.length > 1 || '*?['.includes(letter) ? `[${variants.join('')}]` : letter;
}

function likeOf(letter: string): string {
  return '%_!'.includes(letter) ? `!${letter}` : letter;
}
