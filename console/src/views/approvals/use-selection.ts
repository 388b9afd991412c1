import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { callsPlace } from '../../lib/inbox-place.js';
import { isWaiting, placeOf, type InboxItem } from '../../decisions/inbox.js';

const route = getRouteApi('/approvals');
/** Delay before the address follows the selection. */
const ADDRESS_MS = 200;

export interface Selection {
  /** Index of the selected item; -1 for none. */
  active: number;
  /** Increases with each move by a key, and with each link. */
  moves: number;
  /** Increases with each link: the list then scrolls the item to the top. */
  links: number;
  /** Increases whenever the person chooses an item, in any way. */
  choices: number;
  select: (index: number, byKey: boolean) => void;
  /** Moves from the current selection, because keys arrive faster than the page is drawn. */
  move: (by: number) => void;
  /** Releases an item once it is closed, such as after the last decision: the next waiting item is then selected when it arrives. */
  release: (item: InboxItem) => void;
}

/**
 * The selected item, according to the address; without an address, the first that waits. It stays selected once shown, even if somebody
 * else decides it, so that nobody decides another item by mistake.
 */
export function useSelection(items: readonly InboxItem[], isLoaded: boolean): Selection {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  // An item named by a link is shown like one that a key selected.
  const [{ at, shown, released, moves, links, choices, address, written }, setSelected] = useState<Selected>({
    ...{ at: search.at, shown: undefined, released: undefined, choices: 0 },
    ...{ moves: search.at === undefined ? 0 : 1, links: search.at === undefined ? 0 : 1 },
    ...{ address: search.at, written: search.at },
  });
  if (search.at !== address) {
    const isLink = search.at !== undefined && search.at !== written;
    setSelected((before) => ({
      ...before,
      address: search.at,
      ...(isLink
        ? { at: search.at, moves: before.moves + 1, links: before.links + 1, choices: before.choices + 1 }
        : {}),
    }));
  }
  useEffect(() => {
    if (at === search.at) return;
    const timer = setTimeout(() => {
      setSelected((before) => ({ ...before, written: at }));
      void navigate({ search: (before) => ({ ...before, at }), replace: true, resetScroll: false });
    }, ADDRESS_MS);
    return () => clearTimeout(timer);
  }, [at, search.at, navigate]);
  const active = activeIndex(items, [at, shown], released);
  const place = items[active] && placeOf(items[active].subject);
  if (isLoaded && place !== undefined && place !== shown) setSelected((before) => ({ ...before, shown: place }));
  const choose = (before: Selected, index: number, byKey: boolean) => {
    const item = items[index];
    if (!item) return before;
    const moves = before.moves + (byKey ? 1 : 0);
    return { ...before, at: placeOf(item.subject), moves, choices: before.choices + 1 };
  };
  return {
    active,
    moves,
    links,
    choices,
    select: (index, byKey) => setSelected((before) => choose(before, index, byKey)),
    release: (item) => setSelected((before) => ({ ...before, released: item.key })),
    move: (by) =>
      setSelected((before) => {
        const from = activeIndex(items, [before.at, before.shown], before.released);
        return choose(before, Math.max(0, Math.min(items.length - 1, from + by)), true);
      }),
  };
}

interface Selected {
  /** The chosen item. */
  at: string | undefined;
  /** The item that was shown as selected. */
  shown: string | undefined;
  /** Key of the item that the person decided last, if no other was left. */
  released: string | undefined;
  moves: number;
  links: number;
  choices: number;
  /** The address at the last look, and what this page wrote into it. */
  address: string | undefined;
  written: string | undefined;
}

/** The selected item: the chosen one, otherwise the one shown, otherwise the first that waits. */
function activeIndex(
  items: readonly InboxItem[],
  places: (string | undefined)[],
  released: string | undefined,
): number {
  for (const place of places) {
    const index = place === undefined ? -1 : indexAt(items, place);
    if (index !== -1 && (isWaiting(items[index]!) || items[index]!.key !== released)) return index;
  }
  return items.findIndex(isWaiting);
}

/** Changed calls of a later step have another place, but take the position of the former ones. */
function indexAt(items: readonly InboxItem[], place: string): number {
  const index = items.findLastIndex(({ subject }) => placeOf(subject) === place);
  if (index !== -1) return index;
  return items.findLastIndex(({ changedFrom }) => changedFrom !== null && callsPlace(changedFrom) === place);
}
