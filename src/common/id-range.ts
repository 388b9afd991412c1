/** Texts from the first to before the second, ordered by code points; null for no end. */
export interface IdRange {
  from: string;
  before: string | null;
}

const LAST = 0x10ffff;
const [FIRST_HALF, LAST_HALF] = [0xd800, 0xdfff];

/** The texts that begin with a prefix, as a range of an index; wildcards have no meaning. */
export function rangeOf(prefix: string): IdRange {
  const points = [...prefix].map((letter) => letter.codePointAt(0)!);
  while (points.at(-1) === LAST) points.pop();
  const last = points.pop();
  if (last === undefined) return { from: prefix, before: null };
  return { from: prefix, before: String.fromCodePoint(...points, nextPoint(last)) };
}

/** Lone surrogates are not characters, and no database stores them. */
function nextPoint(point: number): number {
  return point + 1 >= FIRST_HALF && point < LAST_HALF ? LAST_HALF + 1 : point + 1;
}
