import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { isWaiting, placeOf, type InboxItem } from './inbox.js';

const route = getRouteApi('/approvals');
/** The address follows the selection when it rests. */
const ADDRESS_MS = 200;

export interface Selection {
  /** Index of the selected item; -1 for none. */
  active: number;
  /** Grows with each move by a key. */
  moves: number;
  select: (index: number, byKey: boolean) => void;
  /** From where the selection is by now: keys come faster than the page is drawn. */
  move: (by: number) => void;
}

/** Which item is selected, as the address says it. */
export function useSelection(items: readonly InboxItem[]): Selection {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  // What a link names is shown like what a key moves to.
  const [{ at, moves, address, written }, setSelected] = useState({
    ...{ at: search.at, moves: search.at === undefined ? 0 : 1 },
    ...{ address: search.at, written: search.at },
  });
  if (search.at !== address) {
    const isLink = search.at !== undefined && search.at !== written;
    setSelected((before) => ({
      ...before,
      address: search.at,
      ...(isLink ? { at: search.at, moves: before.moves + 1 } : {}),
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
  return {
    active: activeIndex(items, at),
    moves,
    select: (index, byKey) => {
      const item = items[index];
      if (item)
        setSelected((before) => ({ ...before, at: placeOf(item.subject), moves: before.moves + (byKey ? 1 : 0) }));
    },
    move: (by) =>
      setSelected((before) => {
        const item = items[Math.max(0, Math.min(items.length - 1, activeIndex(items, before.at) + by))];
        return item ? { ...before, at: placeOf(item.subject), moves: before.moves + 1 } : before;
      }),
  };
}

/** The selected item: the one that the address names, else the first that waits. */
function activeIndex(items: readonly InboxItem[], at: string | undefined): number {
  const named = at === undefined ? -1 : items.findLastIndex(({ subject }) => placeOf(subject) === at);
  return named === -1 ? items.findIndex(isWaiting) : named;
}
