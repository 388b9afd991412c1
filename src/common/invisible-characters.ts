/**
 * Characters that are invisible, or that make a screen show something other than the text: control characters, characters without
 * width or shape, changes of the writing direction, halves of surrogate pairs. Selectors that only colour an emoji do not count.
 */
const INVISIBLE =
  /(?<!\p{Extended_Pictographic})\uFE0F|(?!\uFE0F)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** The text with escapes in place of such characters, as in JSON (`\u202e`); beyond 16 bits `\u{e0041}`. */
export function escapeInvisible(text: string, except = ''): string {
  return text.replaceAll(INVISIBLE, (char) => (except.includes(char) ? char : escapeOf(char)));
}

function escapeOf(char: string): string {
  const code = char.codePointAt(0)!.toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
}
