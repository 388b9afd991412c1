/** Consecutive places in a log: `[from, to]`, both included. */
export type Range = readonly [from: number, to: number];

/** A list of this many ranges is often the previous list plus one. */
const MANY = 256;
/** Characters of a text worth remembering. */
const LONG = 1024;

interface ListedRanges {
  ranges: readonly Range[];
  text: string;
}

/** The last long text formatted, and the last parsed. */
let formatted: ListedRanges = { ranges: [], text: '' };
let parsed = formatted;

/** `0-59,64-70`, or `64` for a single place; the empty text for none. */
export function formatRanges(ranges: readonly Range[]): string {
  if (ranges.length < MANY) return textOf(ranges);
  const before = formatted;
  const common = commonObjects(before.ranges, ranges);
  const replaced = before.ranges.length - common;
  if (common < MANY || replaced > MANY) {
    formatted = { ranges: ranges.slice(), text: textOf(ranges) };
    return formatted.text;
  }
  const cut = replaced === 0 ? 0 : textOf(before.ranges.slice(common)).length + 1;
  const kept = cut === 0 ? before.text : before.text.slice(0, -cut);
  const text = ranges.length === common ? kept : `${kept},${textOf(ranges.slice(common))}`;
  formatted = { ranges: ranges.slice(), text };
  return text;
}

function textOf(ranges: readonly Range[]): string {
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',');
}

/** How many ranges both lists share at the start as the same objects. */
function commonObjects(a: readonly Range[], b: readonly Range[]): number {
  const limit = Math.min(a.length, b.length);
  let common = 0;
  while (common < limit && a[common] === b[common]) common += 1;
  return common;
}

export function parseRanges(text: string): Range[] {
  if (text === '') return [];
  if (text.length < LONG) return rangesIn(text);
  const known = [parsed, formatted].find((one) => one.text === text);
  parsed = known ?? { ranges: rangesIn(text), text };
  return parsed.ranges.slice();
}

function rangesIn(text: string): Range[] {
  return text.split(',').map((part) => {
    const [from, to] = part.split('-');
    return [Number(from), Number(to ?? from)] as const;
  });
}

/** The last place of a list by its text; null for none. */
export function lastPlaceIn(text: string): number | null {
  return text === '' ? null : Number(text.slice(Math.max(text.lastIndexOf(','), text.lastIndexOf('-')) + 1));
}

export function countPlaces(ranges: readonly Range[]): number {
  return ranges.reduce((count, [from, to]) => count + to - from + 1, 0);
}

/** The ranges of the first `count` places, in a new list. */
export function firstPlaces(ranges: readonly Range[], count: number): Range[] {
  let [whole, missing] = [0, count];
  while (whole < ranges.length && missing > 0) {
    const [from, to] = ranges[whole]!;
    if (to - from + 1 > missing) break;
    missing -= to - from + 1;
    whole += 1;
  }
  const first = ranges.slice(0, whole);
  const next = ranges[whole];
  if (next && missing > 0) first.push([next[0], next[0] + missing - 1]);
  return first;
}

/** Adds one place at the end, extending the last range if possible. */
export function addPlace(ranges: Range[], place: number): void {
  const last = ranges.at(-1);
  if (last && last[1] === place - 1) ranges[ranges.length - 1] = [last[0], place];
  else ranges.push([place, place]);
}

export function* placesOf(ranges: readonly Range[]): Generator<number> {
  for (const [from, to] of ranges) for (let place = from; place <= to; place++) yield place;
}

/** How many places both lists share at the start. */
export function commonPlaces(a: readonly Range[], b: readonly Range[]): number {
  let common = 0;
  for (let i = 0; i < a.length && i < b.length; i++) {
    const [fromA, toA] = a[i]!;
    const [fromB, toB] = b[i]!;
    if (fromA !== fromB) break;
    common += Math.min(toA, toB) - fromA + 1;
    if (toA !== toB) break;
  }
  return common;
}
