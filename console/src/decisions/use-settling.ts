import { useEffect, useState } from 'react';
import { changeOf, isUnsure, type Change, type Sight } from './settling.js';
import type { InboxItem } from './inbox.js';

/** Longer than a person who saw the change would need to hold back. */
const SETTLING_MS = 600;

export interface Settling {
  /** Whether something changed a moment ago. */
  isSettling: boolean;
  /** Whether the person may have meant something else that was there a moment ago. */
  isUnsure: (item: InboxItem, byKey: boolean) => boolean;
}

/** Watches for changes while a person decides. @param isLoaded false until the first load: changes before that do not count */
export function useSettling(sight: Sight, isLoaded: boolean): Settling {
  const [{ seen, changes }, set] = useState<{ seen: Sight | null; changes: readonly Change[] }>({
    ...{ seen: null, changes: [] },
  });
  if (isLoaded) {
    const change = seen && changeOf(seen, sight);
    if (change || seen?.choices !== sight.choices || seen.selected !== sight.selected)
      set({ seen: sight, changes: change ? [...changes, change] : changes });
  }
  const last = changes.at(-1);
  useEffect(() => {
    // Each change has its own timer: in a busy inbox, changes never stop.
    if (last)
      setTimeout(() => set((before) => ({ ...before, changes: withoutUntil(before.changes, last) })), SETTLING_MS);
  }, [last]);
  return {
    isSettling: changes.length > 0,
    isUnsure: (item, byKey) => isUnsure(changes, item, sight.items.indexOf(item), byKey),
  };
}

function withoutUntil(changes: readonly Change[], last: Change): readonly Change[] {
  return changes.slice(changes.indexOf(last) + 1);
}
