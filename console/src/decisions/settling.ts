import { isWaiting, type InboxItem } from './inbox.js';

/** A change of the inbox while a person looked at it. */
export interface Change {
  /** Index of the first item that differs or has moved. */
  from: number;
  /** Keys of items that were not there before. */
  fresh: ReadonlySet<string>;
  /** Whether the selection moved to another item without the person choosing it. */
  isMoved: boolean;
}

/** The inbox as it was drawn. */
export interface Sight {
  items: readonly InboxItem[];
  /** Key of the selected item. */
  selected: string | undefined;
  /** How often the person has chosen an item. */
  choices: number;
}

/** The difference between two looks; null if it cannot mislead a person. */
export function changeOf(before: Sight, after: Sight): Change | null {
  const from = firstDifference(before.items, after.items);
  const isMoved = before.selected !== after.selected && before.choices === after.choices;
  if (from === -1 && !isMoved) return null;
  const known = new Set(before.items.map(({ key }) => key));
  const fresh = from === -1 ? [] : after.items.slice(from).filter(({ key }) => !known.has(key));
  return {
    from: from === -1 ? Number.POSITIVE_INFINITY : from,
    fresh: new Set(fresh.map(({ key }) => key)),
    isMoved,
  };
}

/**
 * Whether a decision right now may have been meant for something else. A key decides the selected item, wherever it is; a press decides the
 * item under the finger.
 */
export function isUnsure(changes: readonly Change[], { key }: InboxItem, index: number, byKey: boolean): boolean {
  return changes.some(({ from, fresh, isMoved }) => (byKey ? isMoved || fresh.has(key) : index >= from));
}

function firstDifference(before: readonly InboxItem[], after: readonly InboxItem[]): number {
  const length = Math.max(before.length, after.length);
  for (let index = 0; index < length; index += 1) {
    const [one, other] = [before[index], after[index]];
    if (one === undefined || one.key !== other?.key || isWaiting(one) !== isWaiting(other)) return index;
  }
  return -1;
}
