/** The text without the characters of this kind at its end. A pattern for it would try every run of them anew: quadratic. */
export function trimEndOf(text: string, char: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === char) end -= 1;
  return text.slice(0, end);
}
