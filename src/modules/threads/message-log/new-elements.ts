import { countPlaces, parseRanges, type Range } from './ranges.js';
import { indexesOutside, placesAt, setOf } from './range-sets.js';

/** Elements of the two lists, by their places in the logs. */
export interface ElementPlaces {
  history: readonly Range[];
  meta: readonly Range[];
}

export const NO_ELEMENTS: ElementPlaces = { history: [], meta: [] };

export interface ListColumns {
  history: string;
  history_meta: string;
}

export function elementsOf({ history, history_meta }: ListColumns): ElementPlaces {
  return { history: parseRanges(history), meta: parseRanges(history_meta) };
}

/**
 * The elements that a checkpoint added to the previous lists: the new messages, and the metadata at their indexes. If there is more
 * metadata than messages, as from waiting agents, the rest counts separately.
 */
export function newElements(lists: ElementPlaces, before: ElementPlaces): ElementPlaces {
  const isNew = indexesNotIn(before.history, lists.history);
  const beyond = placesAt(lists.meta, [[countPlaces(lists.history), Infinity]]);
  const newBeyond = placesAt(beyond, indexesNotIn(before.meta, beyond));
  return { history: placesAt(lists.history, isNew), meta: [...placesAt(lists.meta, isNew), ...newBeyond] };
}

/** An empty list adds nothing; the next step is compared with the previous list again. */
function indexesNotIn(before: readonly Range[], places: readonly Range[]): Range[] {
  return places.length === 0 ? [] : indexesOutside(places, setOf(before));
}

/** The lists to compare the next step with: an empty list was omitted by the reporter, not emptied. */
export function lastElements(lists: ElementPlaces, before: ElementPlaces): ElementPlaces {
  return {
    history: lists.history.length > 0 ? lists.history : before.history,
    meta: lists.meta.length > 0 ? lists.meta : before.meta,
  };
}
