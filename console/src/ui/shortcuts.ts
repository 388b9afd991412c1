import { useEffect, useRef } from 'react';

/**
 * Keys of a view, e.g. `{ j: next, k: previous, '/': search, 'Control+k': open }`. They rest while someone types or scrolls, and while a dialog is open
 * that did not ask for them, but for those that work everywhere. `Control` also means the command key. A key that is held down repeats: what must happen once looks at `repeat`.
 */
export function useShortcuts(keys: Record<string, (event: KeyboardEvent) => void>, where: Where = 'view'): void {
  const current = useRef(keys);
  useEffect(() => {
    current.current = keys;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const name = `${event.ctrlKey || event.metaKey ? 'Control+' : ''}${event.key}`;
      const act = current.current[name];
      if (!act || event.altKey || event.defaultPrevented || isBusy(event, where)) return;
      event.preventDefault();
      act(event);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [where]);
}

type Where = 'view' | 'everywhere';

function isBusy(event: KeyboardEvent, where: Where): boolean {
  const target = event.target as HTMLElement;
  if (where === 'view' && target.closest('[role=dialog], [role=menu], [role=listbox]')) return true;
  if (event.ctrlKey || event.metaKey) return false;
  if (target.closest('input, textarea, select, [contenteditable]')) return true;
  if (isScrolling(event.key, target)) return true;
  // Enter and space are the keys of what has the focus.
  return (event.key === 'Enter' || event.key === ' ') && target.closest('a, button, summary, [role=button]') !== null;
}

const SCROLLING: Record<string, 'x' | 'y'> = {
  ...{ ArrowLeft: 'x', ArrowRight: 'x' },
  ...{ ArrowUp: 'y', ArrowDown: 'y', Home: 'y', End: 'y' },
};

/** Whether the key scrolls something in which the focus is, e.g. a wide table: it would have no other. */
function isScrolling(key: string, target: HTMLElement): boolean {
  const axis = SCROLLING[key];
  if (axis === undefined) return false;
  for (let at: HTMLElement | null = target; at && at !== document.body; at = at.parentElement) {
    const { overflowX, overflowY } = getComputedStyle(at);
    const isWide = axis === 'x' ? at.scrollWidth > at.clientWidth : at.scrollHeight > at.clientHeight;
    if (isWide && /auto|scroll/.test(axis === 'x' ? overflowX : overflowY)) return true;
  }
  return false;
}
