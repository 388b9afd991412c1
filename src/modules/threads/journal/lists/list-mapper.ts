import { HISTORY, HISTORY_META, type MessageList } from '../../entities/message.entity.js';
import { firstIndex } from '../../../../common/first-index.js';
import { addPlace, commonPlaces, firstPlaces, placesOf, type Range } from '../../message-log/ranges.js';
import type { TextList } from '../../../../common/text-list.js';
import type { ThreadDraft } from '../store/thread-draft.js';
import type { Readable, ThreadReader } from '../store/thread-reader.js';
import type { RunList } from '../rules/thread-state.js';

export interface ListPlan {
  readonly list: MessageList;
  /** How many elements, all from the previous list, precede the reported ones; 0 for a whole list. */
  readonly before: number;
  readonly reported: TextList;
  readonly base: RunList;
  /** How many of its first elements the previous list had. */
  readonly count: number;
  readonly ranges: readonly Range[];
  /** Where to look for the other elements, in order of place; empty if all are new. */
  readonly others: readonly KnownPlaces[];
}

interface KnownPlaces {
  readonly places: PlacesByKey;
  /** Only places after this one count. */
  readonly behind: number;
}

interface KnownList {
  readonly list: TextList;
  readonly ranges: readonly Range[];
}

type PlacesByKey = ReadonlyMap<string, readonly number[]>;

/**
 * Turns a reported list into ranges of the thread's log, and adds new elements to the log.
 * A list that extends the previous one, trimmed or not, needs no search; an edited list is looked up element by element.
 * No list uses a place twice: for readers of new messages, a repeated message is new.
 */
export class ListMapper {
  constructor(
    private readonly draft: ThreadDraft,
    private readonly reader: ThreadReader,
  ) {}

  /**
   * Finds how much of a list the log holds. Changes nothing.
   * @param base the previous list, of the same run or of the agent's last run
   * @param isWhole false if `reported` follows the whole previous list, which need not be in memory
   */
  async plan(list: MessageList, reported: TextList, base: RunList, isWhole: boolean): Promise<ListPlan> {
    if (!isWhole) return this.planBehind(list, reported, base);
    if (reported.count === 0) return { list, before: 0, reported, base, count: 0, ranges: [], others: [] };
    const previous = base.list ?? (await this.reader.elementsAt(list, base.ranges));
    const { count, ranges } = knownPart(reported, previous, base.ranges);
    const known = { list: previous, ranges: base.ranges };
    const others = count < reported.count ? await this.othersOf(list, reported, count, ranges, known) : [];
    return { list, before: 0, reported, base, count, ranges, others };
  }

  private async planBehind(list: MessageList, reported: TextList, base: RunList): Promise<ListPlan> {
    const { ranges } = base;
    const others = reported.count > 0 ? await this.othersOf(list, reported, 0, ranges, null) : [];
    return { list, before: base.count, reported, base, count: 0, ranges, others };
  }

  /** Adds the new elements to the log. The list's row does not exist yet. */
  write({ list, before, reported, count, ranges: known, others }: ListPlan): RunList {
    const ranges = known.slice();
    const finders = others.map((one) => new PlaceFinder(one));
    let found = lastPlace(ranges);
    const taken = new TakenPlaces(ranges, found);
    for (let i = count; i < reported.count; i++) {
      let place: number | null = null;
      for (const finder of finders) place ??= finder.find(elementKey(list, reported, i), found, taken);
      // New elements do not move the search: messages kept after a summary precede it in the log.
      found = place ?? found;
      addPlace(ranges, place ?? this.append(list, reported, i));
    }
    return { list: before === 0 ? reported : null, count: before + reported.count, ranges, row: null };
  }

  private append(list: MessageList, reported: TextList, index: number): number {
    const { row } = this.draft;
    const seq = list === HISTORY ? row.next_message++ : row.next_meta++;
    const digest = list === HISTORY ? reported.digest(index) : null;
    this.draft.newMessages.add({ thread_pk: row.pk, list, seq, digest, ...reported.sourceOf(index) });
    return seq;
  }

  /**
   * Empty if the log has nothing after the known part.
   * @param base the previous list; null if none of its places follow the known part
   */
  private othersOf(
    list: MessageList,
    reported: TextList,
    from: number,
    ranges: readonly Range[],
    base: KnownList | null,
  ): Readable<readonly KnownPlaces[]> {
    const last = lastPlace(ranges);
    if (list === HISTORY_META) {
      const isBehind = base?.ranges.some(([, to]) => to > last);
      return isBehind ? [{ places: byKey(placesInBase(base!)), behind: -1 }] : [];
    }
    return this.draft.row.next_message === last + 1 ? [] : this.othersInLog(reported, from, last);
  }

  private async othersInLog(reported: TextList, from: number, last: number): Promise<readonly KnownPlaces[]> {
    const wanted = new Set<string>();
    for (let i = from; i < reported.count; i++) wanted.add(reported.digest(i));
    const stored = (await this.reader.messagesBehind(last, wanted)).filter(({ digest }) => wanted.has(digest));
    const places = byKey(stored.map(({ digest, seq }) => [digest, seq]));
    return [
      { places, behind: last },
      { places: this.draft.newMessages.places, behind: last },
    ];
  }
}

function byKey(entries: Iterable<readonly [key: string, place: number]>): PlacesByKey {
  const places = new Map<string, number[]>();
  for (const [key, place] of entries) {
    const known = places.get(key);
    if (known) known.push(place);
    else places.set(key, [place]);
  }
  return places;
}

/**
 * Finds places by key, only in log order: a message said twice is two messages, and ranges stay few.
 * The price: reordered messages are stored again.
 */
class PlaceFinder {
  /** By key, the index of the first place that the search has not passed. */
  private readonly next = new Map<string, number>();

  constructor(private readonly known: KnownPlaces) {}

  /** The first free place of the key after `after`; null if there is none. `after` must never decrease between calls. */
  find(key: string, after: number, taken: TakenPlaces): number | null {
    const places = this.known.places.get(key);
    if (!places) return null;
    let next = this.next.get(key) ?? firstBehind(this.known.behind, places);
    while (next < places.length && (places[next]! <= after || taken.has(places[next]!))) next += 1;
    this.next.set(key, next);
    return places[next] ?? null;
  }
}

/** Places of the known part that follow its last one: messages that were new when they were inserted before others. */
class TakenPlaces {
  private readonly behind: readonly Range[];

  constructor(known: readonly Range[], last: number) {
    this.behind = known.filter(([, to]) => to > last).sort(([a], [b]) => a - b);
  }

  has(place: number): boolean {
    const range = this.behind[firstIndex(this.behind, ([, to]) => to >= place)];
    return range !== undefined && range[0] <= place;
  }
}

/** How many elements the previous list had, and their places: its beginning and, if its middle was cut out, its end. */
function knownPart(
  reported: TextList,
  previous: TextList,
  places: readonly Range[],
): { count: number; ranges: Range[] } {
  const common = reported.commonCount(previous);
  const ranges = firstPlaces(places, common);
  const start = common < previous.count ? reported.restIn(previous, common) : -1;
  if (start === -1) return { count: common, ranges };
  let index = 0;
  for (const place of placesOf(places)) if (index++ >= start) addPlace(ranges, place);
  return { count: common + previous.count - start, ranges };
}

function lastPlace(ranges: readonly Range[]): number {
  return ranges.at(-1)?.[1] ?? -1;
}

function firstBehind(place: number, rising: readonly number[]): number {
  return firstIndex(rising, (one) => one > place);
}

function elementKey(list: MessageList, reported: TextList, index: number): string {
  return list === HISTORY ? reported.digest(index) : reported.text(index);
}

function* placesInBase(base: KnownList): Generator<[string, number]> {
  let index = 0;
  for (const place of placesOf(base.ranges)) yield [base.list.text(index++), place] as [string, number];
}

/** The base to compare with. A base with many ranges wins unless the previous list begins with all of it. */
export function nearer(before: RunList, base: RunList | undefined): RunList {
  return base && commonPlaces(before.ranges, base.ranges) < base.count ? base : before;
}
