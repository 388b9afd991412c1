const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const UNICODE_ESCAPE = 0x75;
const UNICODE_DIGITS = 4;

const WORDS = ['true', 'false', 'null'].map((word) => Buffer.from(word));
const ESCAPED = new Set(Buffer.from('"\\/bfnrt'));
const EXPONENT = new Set(Buffer.from('eE'));
const SIGNS = new Set(Buffer.from('+-'));

/** White space between the tokens of JSON. */
export function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** Where the number or word ends that begins here; the same place where there is none. A number ends where it could not go on. */
export function scalarEnd(bytes: Buffer, from: number): number {
  return bytes[from] === MINUS || isDigit(bytes[from]) ? numberEnd(bytes, from) : wordEnd(bytes, from);
}

/** Bytes of the escape behind its backslash; 0 where it is none. */
export function escapeLength(bytes: Buffer, at: number): number {
  const byte = bytes[at] ?? 0;
  if (ESCAPED.has(byte)) return 1;
  if (byte !== UNICODE_ESCAPE) return 0;
  for (let i = 1; i <= UNICODE_DIGITS; i++) if (!isHexDigit(bytes[at + i])) return 0;
  return 1 + UNICODE_DIGITS;
}

function wordEnd(bytes: Buffer, from: number): number {
  const word = WORDS.find((one) => bytes.subarray(from, from + one.length).equals(one));
  return from + (word?.length ?? 0);
}

function numberEnd(bytes: Buffer, from: number): number {
  let at = from + Number(bytes[from] === MINUS);
  if (!isDigit(bytes[at])) return from;
  at = bytes[at] === ZERO ? at + 1 : digitsEnd(bytes, at);
  if (bytes[at] === DOT && isDigit(bytes[at + 1])) at = digitsEnd(bytes, at + 1);
  if (!EXPONENT.has(bytes[at] ?? 0)) return at;
  const digits = at + 1 + Number(SIGNS.has(bytes[at + 1] ?? 0));
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
  return isDigit(byte) || (byte !== undefined && (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);
}
