/** Beyond it no script has large and small letters (Unicode 17: Adlam ends at U+1E943). */
const LAST_CASED = 0x1ffff;

/** Letters that fold to the same one, by that one; made when somebody first asks. */
let variants: ReadonlyMap<string, readonly string[]> | null = null;

/** Text whose large and small letters are alike, letter by letter: Unicode's simple case folding, whatever the language. */
export function foldCase(text: string): string {
  let folded = '';
  for (const letter of text) folded += foldLetter(letter);
  return folded;
}

/** All letters that are like a folded one, itself included: `k`, `K` and the sign for kelvin. */
export function variantsOf(folded: string): readonly string[] {
  variants ??= allVariants();
  return variants.get(folded) ?? [folded];
}

function foldLetter(letter: string): string {
  if (letter.length === 1 && letter < '\u0080') return letter.toLowerCase();
  const large = letter.toUpperCase();
  const folded = [(isOne(large) ? large : letter).toLowerCase(), letter.toLowerCase()].find(
    (small) => isOne(small) && isAlike(small, letter),
  );
  return folded ?? letter;
}

/** What regular expressions take for the same letter is Unicode's simple folding: dotless i, say, is no i. */
function isAlike(one: string, other: string): boolean {
  return one === other || new RegExp(`^\\u{${one.codePointAt(0)!.toString(16)}}$`, 'iu').test(other);
}

function isOne(text: string): boolean {
  return text.length === 1 || (text.length === 2 && text.codePointAt(0)! > 0xffff);
}

function allVariants(): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (let code = 0; code <= LAST_CASED; code++) {
    const letter = String.fromCodePoint(code);
    if (letter.toLowerCase() === letter && letter.toUpperCase() === letter) continue;
    const folded = foldLetter(letter);
    groups.set(folded, [...(groups.get(folded) ?? []), letter]);
  }
  return groups;
}
