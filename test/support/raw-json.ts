/**
 * Splits JSON text without parsing numbers or strings, so that tests can compare stored text to the last digit.
 * The text must be valid JSON; these helpers check nothing.
 */

/** The members of an object, each with its exact source text. The last of duplicate keys wins. */
export function rawMembers(text: string): Map<string, string> {
  const parts = split(text);
  return new Map(
    parts.map((part) => {
      const keyEnd = skipString(part, 0);
      const value = part.slice(keyEnd).trimStart().slice(1).trim();
      return [JSON.parse(part.slice(0, keyEnd)) as string, value];
    }),
  );
}

/** The elements of an array, each with its exact source text. */
export function rawElements(text: string): string[] {
  return split(text);
}

/** The exact source text of one member, found by a path of keys and indexes; undefined if there is none. */
export function rawAt(text: string, ...path: (string | number)[]): string | undefined {
  return path.reduce<string | undefined>((inner, key) => {
    if (inner === undefined) return undefined;
    return typeof key === 'number' ? rawElements(inner)[key] : rawMembers(inner).get(key);
  }, text.trim());
}

/** The comma-separated parts of the outermost object or array. */
function split(text: string): string[] {
  const parts: string[] = [];
  const trimmed = text.trim();
  let depth = 0;
  let start = 1;
  for (let at = 0; at < trimmed.length; at++) {
    const char = trimmed[at];
    if (char === '"') at = skipString(trimmed, at) - 1;
    else if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') depth--;
    else if (char === ',' && depth === 1) {
      parts.push(trimmed.slice(start, at).trim());
      start = at + 1;
    }
  }
  const last = trimmed.slice(start, -1).trim();
  return last === '' ? parts : [...parts, last];
}

/** The index after the string that begins at `from`. */
function skipString(text: string, from: number): number {
  let at = from + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}
