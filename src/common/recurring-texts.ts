const FIRST_PRINTABLE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LAST_ASCII = 0x7e;

/** Longer texts are not names. */
const MAX_LENGTH = 32;
/** A power of two, far above the number of recurring texts. */
const PLACES = 1024;

/** A hash table without chains: a text replaces another in its slot. */
const texts = new Array<string>(PLACES).fill('');

/**
 * The text of a short string after its opening quote: the name of a member or type. Events share a few names, and finding a known text is
 * faster than decoding its bytes.
 * @returns null for a long text, or one that is not plain ASCII, which the caller must decode
 */
export function recurringText(bytes: Buffer, from: number): string | null {
  let hash = 0;
  let length = 0;
  for (let byte = bytes[from]; byte !== QUOTE; byte = bytes[from + length]) {
    if (byte === undefined || byte < FIRST_PRINTABLE || byte > LAST_ASCII || byte === BACKSLASH) return null;
    if (++length > MAX_LENGTH) return null;
    hash = (31 * hash + byte) | 0;
  }
  const place = hash & (PLACES - 1);
  const known = texts[place]!;
  return isAt(bytes, from, known, length) ? known : (texts[place] = bytes.toString('latin1', from, from + length));
}

function isAt(bytes: Buffer, from: number, text: string, length: number): boolean {
  if (text.length !== length) return false;
  for (let i = 0; i < length; i++) if (bytes[from + i] !== text.charCodeAt(i)) return false;
  return true;
}
