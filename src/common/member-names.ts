const FIRST_PRINTABLE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LAST_ASCII = 0x7e;

/** Longer names are read anew each time. */
const MAX_LENGTH = 32;
/** A power of two, much more than there are names that come again and again. */
const PLACES = 1024;

/** Names by the place that their letters say. The same few names come with every event; another name with the same place replaces one. */
const names = new Array<string>(PLACES).fill('');

/**
 * The name of a member, from behind its quote. To make a string of bytes takes longer than to find that it is one of those read before.
 * @returns null for a long name, or one that is not plain ASCII: somebody else must read it
 */
export function memberName(bytes: Buffer, from: number): string | null {
  let hash = 0;
  let length = 0;
  for (let byte = bytes[from]; byte !== QUOTE; byte = bytes[from + length]) {
    if (byte === undefined || byte < FIRST_PRINTABLE || byte > LAST_ASCII || byte === BACKSLASH) return null;
    if (++length > MAX_LENGTH) return null;
    hash = (31 * hash + byte) | 0;
  }
  const place = hash & (PLACES - 1);
  const known = names[place]!;
  return isAt(bytes, from, known, length) ? known : (names[place] = bytes.toString('latin1', from, from + length));
}

function isAt(bytes: Buffer, from: number, name: string, length: number): boolean {
  if (name.length !== length) return false;
  for (let i = 0; i < length; i++) if (bytes[from + i] !== name.charCodeAt(i)) return false;
  return true;
}
