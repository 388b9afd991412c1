import type { History } from './steps.js';

/** A stretch of messages that two histories share, or that only one of them has. */
export interface HistoryPart {
  kind: 'same' | 'removed' | 'added';
  /** Indexes in the history that has them; of shared ones, in the later. */
  indexes: number[];
}

/**
 * What became of the messages from one history to another. A place holds the same message for ever, so that places tell more, and faster,
 * than texts: what stands in both, in the same order, stayed; all else came or went.
 */
export function historyDifference(before: History, after: History): HistoryPart[] {
  const parts: HistoryPart[] = [];
  const add = (kind: HistoryPart['kind'], index: number) => {
    const last = parts.at(-1);
    if (last?.kind === kind) last.indexes.push(index);
    else parts.push({ kind, indexes: [index] });
  };
  const next = nextIndexes(before);
  let at = 0;
  after.places.forEach((place, index) => {
    const stayed = next(place, at);
    if (stayed === undefined) {
      add('added', index);
      return;
    }
    for (; at < stayed; at++) add('removed', at);
    add('same', index);
    at = stayed + 1;
  });
  for (; at < before.places.length; at++) add('removed', at);
  return parts;
}

/** Finds where a place stands in a history, from an index on. */
function nextIndexes({ places }: History): (place: number, from: number) => number | undefined {
  const indexes = new Map<number, number[]>();
  places.forEach((place, index) => indexes.set(place, [...(indexes.get(place) ?? []), index]));
  return (place, from) => indexes.get(place)?.find((index) => index >= from);
}
