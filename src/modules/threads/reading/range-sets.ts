import type { Range } from '../journal/ranges.js';

/** Places or indexes in rising order, no two ranges of which touch a place twice. */
export type Ranges = readonly Range[];

/** What is in `ranges` and not in `others`. */
export function without(ranges: Ranges, others: Ranges): Range[] {
  const rest: Range[] = [];
  let next = 0;
  for (const [from, to] of ranges) {
    let at = from;
    while (next < others.length && others[next]![1] < at) next += 1;
    for (let i = next; i < others.length && others[i]![0] <= to; i++) {
      if (others[i]![0] > at) rest.push([at, others[i]![0] - 1]);
      at = others[i]![1] + 1;
    }
    if (at <= to) rest.push([at, to]);
  }
  return rest;
}

/** What is in either. */
export function united(ranges: Ranges, others: Ranges): Range[] {
  const sorted = [...ranges, ...others].sort((a, b) => a[0] - b[0]);
  const union: Range[] = [];
  for (const [from, to] of sorted) {
    const last = union.at(-1);
    if (last && from <= last[1] + 1) union[union.length - 1] = [last[0], Math.max(last[1], to)];
    else union.push([from, to]);
  }
  return union;
}

/** At which indexes of the list with these places the `wanted` ones stand; all of them must be in it. */
export function indexesOf(places: Ranges, wanted: Ranges): Range[] {
  const indexes: Range[] = [];
  let before = 0;
  let next = 0;
  for (const [from, to] of places) {
    while (next < wanted.length && wanted[next]![1] < from) next += 1;
    for (let i = next; i < wanted.length && wanted[i]![0] <= to; i++) {
      indexes.push([before + Math.max(wanted[i]![0], from) - from, before + Math.min(wanted[i]![1], to) - from]);
    }
    before += to - from + 1;
  }
  return indexes;
}

/** The places that stand at these indexes; indexes beyond the end are left out. */
export function placesAt(places: Ranges, indexes: Ranges): Range[] {
  const found: Range[] = [];
  let before = 0;
  let next = 0;
  for (const [from, to] of places) {
    const end = before + to - from;
    while (next < indexes.length && indexes[next]![1] < before) next += 1;
    for (let i = next; i < indexes.length && indexes[i]![0] <= end; i++) {
      found.push([from + Math.max(indexes[i]![0], before) - before, from + Math.min(indexes[i]![1], end) - before]);
    }
    before = end + 1;
  }
  return found;
}
