/**
 * Characters that nobody sees, or that make a screen show something else than what is there: control characters, those without a
 * width or a shape, those that turn the direction of writing, halves of surrogate pairs. What only makes an emoji colourful is seen.
 */
const UNSEEN =
  /(?<!\p{Extended_Pictographic})\uFE0F|(?!\uFE0F)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** The text with escapes, as JSON has them, in place of what nobody sees (`\u202e`); beyond 16 bits `\u{e0041}`. */
export function withUnseenShown(text: string, except = ''): string {
  return text.replaceAll(UNSEEN, (char) => (except.includes(char) ? char : escapeOf(char)));
}

function escapeOf(char: string): string {
  const code = char.codePointAt(0)!.toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
}
