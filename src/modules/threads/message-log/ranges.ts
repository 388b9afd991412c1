/** Places in a log that follow each other: `[from, to]`, both included. */
export type Range = readonly [from: number, to: number];

/** `0-59,64-70`, or `64` for a single place; the empty text for none. */
export function formatRanges(ranges: readonly Range[]): string {
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',');
}

export function parseRanges(text: string): Range[] {
  if (text === '') return [];
  return text.split(',').map((part) => {
    const [from, to] = part.split('-');
    return [Number(from), Number(to ?? from)] as const;
  });
}

export function countPlaces(ranges: readonly Range[]): number {
  return ranges.reduce((count, [from, to]) => count + to - from + 1, 0);
}

/** The ranges of the first `count` places. */
export function firstPlaces(ranges: readonly Range[], count: number): Range[] {
  const first: Range[] = [];
  let missing = count;
  for (const [from, to] of ranges) {
    if (missing <= 0) break;
    const taken = Math.min(missing, to - from + 1);
    first.push([from, from + taken - 1]);
    missing -= taken;
  }
  return first;
}

/** Adds one place at the end, widening the last range where it can. */
export function addPlace(ranges: Range[], place: number): void {
  const last = ranges.at(-1);
  if (last && last[1] === place - 1) ranges[ranges.length - 1] = [last[0], place];
  else ranges.push([place, place]);
}

export function* placesOf(ranges: readonly Range[]): Generator<number> {
  for (const [from, to] of ranges) for (let place = from; place <= to; place++) yield place;
}

/** How many places both lists begin with alike. */
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
