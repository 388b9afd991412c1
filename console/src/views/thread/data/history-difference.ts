import type { History } from './steps.js';

/** A stretch of messages that two histories share, or that only one of them contains. */
export interface HistoryPart {
  kind: 'same' | 'removed' | 'added';
  /** Indexes in the history that contains them; for shared ones, in the later history. */
  indexes: number[];
}

/**
 * How one history became another. A place always holds the same message, so comparing places is faster and more precise than comparing
 * texts: what both contain in the same order stayed; everything else was added or removed.
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

/** Returns a function that finds a place's index in a history, from an index on. */
function nextIndexes({ places }: History): (place: number, from: number) => number | undefined {
  const indexes = new Map<number, number[]>();
  places.forEach((place, index) => indexes.set(place, [...(indexes.get(place) ?? []), index]));
  return (place, from) => indexes.get(place)?.find((index) => index >= from);
}
