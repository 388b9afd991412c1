import { firstIndex } from '../../../common/first-index.js';
import type { Range } from './ranges.js';

/** Elements of a list in order: places in any order, possibly repeated, as in a summarised history. */
export type Places = readonly Range[];

/** A set: ascending, no two ranges touch. */
export type RangeSet = readonly Range[];

/** More ranges are merged with a set; fewer are inserted one by one. */
const MAX_INSERTED = 16;

/** The set of all places in these lists. */
export function setOf(...lists: readonly Places[]): Range[] {
  const set: Range[] = [];
  for (const [from, to] of lists.flat().sort((a, b) => a[0] - b[0])) {
    const last = set.at(-1);
    if (last && from <= last[1] + 1) set[set.length - 1] = [last[0], Math.max(last[1], to)];
    else set.push([from, to]);
  }
  return set;
}

/** The set with more places. It may be changed in place, so do not use the old set again. */
export function withPlaces(set: Range[], places: Places): Range[] {
  if (places.length > MAX_INSERTED) return setOf(set, places);
  for (const [from, to] of places) {
    const begin = firstEndingAt(from - 1, set);
    let end = begin;
    while (end < set.length && set[end]![0] <= to + 1) end += 1;
    const joined: Range = end === begin ? [from, to] : [Math.min(from, set[begin]![0]), Math.max(to, set[end - 1]![1])];
    set.splice(begin, end - begin, joined);
  }
  return set;
}

/** The indexes of the list's elements that are not in the set. */
export function indexesOutside(places: Places, set: RangeSet): Range[] {
  const indexes: Range[] = [];
  let before = 0;
  for (const [from, to] of places) {
    for (const [first, last] of gaps(from, to, set)) addRange(indexes, before + first - from, before + last - from);
    before += to - from + 1;
  }
  return indexes;
}

/** The places at these ascending indexes; ignores indexes beyond the end. */
export function placesAt(places: Places, indexes: readonly Range[]): Range[] {
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

/** The ranges between `from` and `to` that are not in the set. */
function* gaps(from: number, to: number, set: RangeSet): Generator<Range> {
  let at = from;
  for (let i = firstEndingAt(from, set); i < set.length && set[i]![0] <= to; i++) {
    const [first, last] = set[i]!;
    if (first > at) yield [at, first - 1];
    at = last + 1;
  }
  if (at <= to) yield [at, to];
}

/** The index of the set's first range that ends at or after the place. */
function firstEndingAt(place: number, set: RangeSet): number {
  return firstIndex(set, ([, to]) => to >= place);
}

function addRange(ranges: Range[], from: number, to: number): void {
  const last = ranges.at(-1);
  if (last && last[1] + 1 === from) ranges[ranges.length - 1] = [last[0], to];
  else ranges.push([from, to]);
}
