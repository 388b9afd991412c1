/** No script beyond it has upper and lower case (Unicode 17: Adlam ends at U+1E943). */
const LAST_CASED = 0x1ffff;

/** For each folded letter, all letters that fold to it. Built at the first use. */
let variants: ReadonlyMap<string, readonly string[]> | null = null;

/** Unicode's simple case folding, letter by letter, in any language. */
export function foldCase(text: string): string {
  let folded = '';
  for (const letter of text) folded += foldLetter(letter);
  return folded;
}

/** A text to search for, composed (NFC) and folded. */
export function foldSearch(text: string): string {
  return foldCase(text.normalize('NFC'));
}

/** The forms of a text to search in, folded: as it is and, if different, composed. */
export function foldSearched(text: string): readonly string[] {
  const composed = text.normalize('NFC');
  return composed === text ? [foldCase(text)] : [foldCase(text), foldCase(composed)];
}

/**
 * How a letter is composed from its base and marks, step by step: replacing each step by its result, in this order, composes a text with
 * the letter. Empty for letters without parts.
 */
export function compositionsOf(letter: string): readonly [parts: string, whole: string][] {
  const [base = '', ...marks] = letter.normalize('NFD');
  const steps: [string, string][] = [];
  let whole = base;
  for (const mark of marks) {
    const parts = `${whole}${mark}`;
    const next = parts.normalize('NFC');
    if (!isOne(next)) return [];
    steps.push([parts, next]);
    whole = next;
  }
  return whole === letter ? steps : [];
}

/** All letters that fold to this one, itself included: `k`, `K` and the kelvin sign for `k`. */
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

/** Regular expressions also use Unicode's simple folding. In it, the dotless i does not match i. */
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
