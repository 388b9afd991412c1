const FIRST_PRINTABLE = 0x20;
const QUOTE = 0x22;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const BACKSLASH = 0x5c;
const UNICODE_ESCAPE = 0x75;
const UNICODE_DIGITS = 4;

/** The same byte four times. */
const QUOTES = 0x22222222;
const BACKSLASHES = 0x5c5c5c5c;
const FIRST_PRINTABLES = 0x20202020;
const ONES = 0x01010101;
const HIGHEST_BITS = 0x80808080;

/** By first letter. */
const WORDS = new Map(['true', 'false', 'null'].map((word) => [word.charCodeAt(0), word]));
/** For each byte, whether it may follow a backslash alone. */
const ESCAPED = new Uint8Array(256);
for (const byte of Buffer.from('"\\/bfnrt')) ESCAPED[byte] = 1;
const LOWER_CASE = 0x20;
const EXPONENT = 0x65;
const PLUS = 0x2b;

export function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/**
 * The first byte of a string that does not stand for itself: a quote, a backslash, a control character. Checks four bytes at a time, as
 * strings make up most of a text.
 * @returns `until` if there is none before it
 */
export function plainEnd(view: DataView, from: number, until: number): number {
  let at = from;
  for (const last = until - 4; at <= last; at += 4) {
    const four = view.getInt32(at, true);
    const quotes = four ^ QUOTES;
    const backslashes = four ^ BACKSLASHES;
    // Subtracting more than a byte's value borrows and sets its highest bit; bytes that had it set before are not ASCII.
    const found =
      ((quotes - ONES) & ~quotes) | ((backslashes - ONES) & ~backslashes) | ((four - FIRST_PRINTABLES) & ~four);
    const first = found & HIGHEST_BITS;
    if (first !== 0) return at + ((31 - Math.clz32(first & -first)) >> 3);
  }
  while (at < until && isPlain(view.getUint8(at))) at += 1;
  return at;
}

function isPlain(byte: number): boolean {
  return byte >= FIRST_PRINTABLE && byte !== QUOTE && byte !== BACKSLASH;
}

/** The end of the number or word that starts here; the same place if there is none. A number ends where it cannot continue. */
export function scalarEnd(bytes: Buffer, from: number): number {
  return bytes[from] === MINUS || isDigit(bytes[from]) ? numberEnd(bytes, from) : wordEnd(bytes, from);
}

/** Length in bytes of the escape after its backslash; 0 if invalid. */
export function escapeLength(bytes: Buffer, at: number): number {
  const byte = bytes[at] ?? 0;
  if (ESCAPED[byte] === 1) return 1;
  if (byte !== UNICODE_ESCAPE) return 0;
  for (let i = 1; i <= UNICODE_DIGITS; i++) if (!isHexDigit(bytes[at + i])) return 0;
  return 1 + UNICODE_DIGITS;
}

function wordEnd(bytes: Buffer, from: number): number {
  const word = WORDS.get(bytes[from] ?? 0);
  if (word === undefined) return from;
  for (let i = 1; i < word.length; i++) if (bytes[from + i] !== word.charCodeAt(i)) return from;
  return from + word.length;
}

function numberEnd(bytes: Buffer, from: number): number {
  let at = from + Number(bytes[from] === MINUS);
  if (!isDigit(bytes[at])) return from;
  at = bytes[at] === ZERO ? at + 1 : digitsEnd(bytes, at);
  if (bytes[at] === DOT && isDigit(bytes[at + 1])) at = digitsEnd(bytes, at + 1);
  if ((bytes[at]! | LOWER_CASE) !== EXPONENT) return at;
  const isSigned = bytes[at + 1] === PLUS || bytes[at + 1] === MINUS;
  const digits = at + (isSigned ? 2 : 1);
  return isDigit(bytes[digits]) ? digitsEnd(bytes, digits) : at;
}

function digitsEnd(bytes: Buffer, from: number): number {
  let at = from;
  while (isDigit(bytes[at])) at += 1;
  return at;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= NINE;
}

function isHexDigit(byte: number | undefined): boolean {
  return isDigit(byte) || (byte !== undefined && (byte | LOWER_CASE) >= 0x61 && (byte | LOWER_CASE) <= 0x66);
}
